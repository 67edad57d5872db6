import type { ChartOptions, DeepPartial, TickMarkType, Time } from 'lightweight-charts'
import { dayText, longDayText, minuteText } from '../format/times.ts'
import { axisText } from '../parts/scale.ts'
import type { Colours } from './chart-colours.ts'
import { isIntraday, type Timeframe } from './timeframes.ts'

/** The places of prices on the axis. */
export const axisDecimals = (price: number): number => (price === 0 || Math.abs(price) >= 1 ? 2 : 4)

/** The options of the chart library. Times are in New York, whatever the machine's time zone is. */
export const chartOptions = (colours: Colours, timeframe: Timeframe): DeepPartial<ChartOptions> => ({
  autoSize: true,
  layout: {
    background: { color: 'transparent' },
    textColor: colours.faint,
    fontFamily: getComputedStyle(document.body).fontFamily,
    fontSize: 11,
    // The notice and the link stand below the chart instead.
    attributionLogo: false,
    panes: { enableResize: false, separatorColor: colours.line },
  },
  grid: { vertLines: { color: colours.line }, horzLines: { color: colours.line } },
  rightPriceScale: { borderVisible: false, entireTextOnly: true },
  timeScale: {
    borderVisible: false,
    timeVisible: isIntraday(timeframe),
    rightOffset: 12,
    barSpacing: 8,
    // All weeks since 1990 fit on a phone.
    minBarSpacing: 0.1,
    tickMarkFormatter: (time: Time, type: TickMarkType) => tickText((time as number) * 1000, type),
  },
  crosshair: {
    mode: 0,
    vertLine: { color: colours.edge, labelBackgroundColor: colours.ink },
    horzLine: { color: colours.edge, labelBackgroundColor: colours.ink },
  },
  localization: {
    priceFormatter: (price: number) => axisText(price, axisDecimals(price)),
    timeFormatter: (time: Time) => timeTexts(timeframe, (time as number) * 1000),
  },
  // The page scrolls on a phone; the chart moves sideways.
  handleScroll: { vertTouchDrag: false, mouseWheel: true },
})

const [YEAR, MONTH, DAY] = [0, 1, 2]

/** The library knows days in UTC only: a day that begins there in the evening of New York gets the time. */
function tickText(atMs: number, type: TickMarkType): string {
  if (type > DAY) return minuteText(atMs)
  const hour = Number(minuteText(atMs).slice(0, 2))
  if (hour >= 12) return minuteText(atMs)
  const [, , month, year] = longDayText(atMs).split(' ')
  return type === YEAR ? year! : type === MONTH ? month! : dayText(atMs)
}

/** The time of a bar: `10:30` with the day, or the day alone. */
export const timeTexts = (timeframe: Timeframe, atMs: number): string =>
  isIntraday(timeframe) ? `${dayText(atMs)} ${minuteText(atMs)}` : longDayText(atMs)
