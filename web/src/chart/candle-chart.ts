import type {
  AutoscaleInfo,
  IChartApi,
  ISeriesApi,
  ISeriesMarkersPluginApi,
  Logical,
  SeriesMarker,
  Time,
  UTCTimestamp,
} from 'lightweight-charts'
import type { ChartBar } from './bar-source.ts'
import { type Colours, readColours } from './chart-colours.ts'
import { chartOptions } from './chart-options.ts'
import type { ChartView } from './chart-view.ts'
import { fractionalIndex } from './chart-view.ts'
import { isIntraday, type Timeframe } from './timeframes.ts'
import { vwapOf } from './vwap.ts'

type Library = typeof import('lightweight-charts')

/** An own fill, or several in one bar. */
export type FillMark = {
  readonly atMs: number
  readonly price: number
  readonly side: 'buy' | 'sell'
  readonly text: string
}

type Watchers = {
  readonly onView: (view: ChartView) => void
  readonly onHover: (bar: ChartBar | undefined) => void
  /** The oldest bars came into view. */
  readonly onStart: () => void
}

const BARS_BEFORE_START = 40
const timeOf = (atMs: number): UTCTimestamp => (atMs / 1000) as UTCTimestamp

/** Loads the chart library with the first chart. */
export async function openChart(
  element: HTMLElement,
  timeframe: Timeframe,
  watchers: Watchers,
): Promise<CandleChart> {
  return new CandleChart(await import('lightweight-charts'), element, timeframe, watchers)
}

/** Candles, volume and VWAP on a canvas. What is laid over them uses the view. */
export class CandleChart {
  readonly #chart: IChartApi
  readonly #candles: ISeriesApi<'Candlestick'>
  readonly #volume: ISeriesApi<'Histogram'>
  readonly #vwap: ISeriesApi<'Line'>
  readonly #markers: ISeriesMarkersPluginApi<Time>
  readonly #timeframe: Timeframe
  readonly #watchers: Watchers
  #colours: Colours
  #bars: readonly ChartBar[] = []
  #fills: readonly FillMark[] = []
  #levels: readonly number[] = []
  #signature = ''
  #isDrawn = false
  #isClosed = false
  readonly #redraw = () => {
    this.#colours = readColours()
    this.#applyColours()
    this.#setData()
    this.#drawFills()
    this.#drawLast()
  }

  constructor(library: Library, element: HTMLElement, timeframe: Timeframe, watchers: Watchers) {
    this.#timeframe = timeframe
    this.#watchers = watchers
    this.#colours = readColours()
    this.#chart = library.createChart(element, chartOptions(this.#colours, timeframe))
    this.#volume = this.#chart.addSeries(library.HistogramSeries, {
      priceScaleId: 'volume',
      priceFormat: { type: 'volume' },
      lastValueVisible: false,
      priceLineVisible: false,
    })
    this.#chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.86, bottom: 0 } })
    this.#vwap = this.#chart.addSeries(library.LineSeries, {
      lineWidth: 2,
      lastValueVisible: false,
      priceLineVisible: false,
      crosshairMarkerVisible: false,
      // A distant average would press the candles flat.
      autoscaleInfoProvider: () => null,
    })
    this.#candles = this.#chart.addSeries(library.CandlestickSeries, {
      autoscaleInfoProvider: (original: () => AutoscaleInfo | null) => this.#autoscale(original()),
    })
    this.#candles.priceScale().applyOptions({ scaleMargins: { top: 0.09, bottom: 0.17 } })
    this.#markers = library.createSeriesMarkers(this.#candles, [])
    this.#applyColours()
    this.#follow()
    addEventListener('quipu-theme', this.#redraw)
  }

  close(): void {
    this.#isClosed = true
    removeEventListener('quipu-theme', this.#redraw)
    this.#chart.remove()
  }

  setBars(bars: readonly ChartBar[]): void {
    const before = this.#bars
    this.#bars = bars
    const last = bars.at(-1)
    const added = bars.length - before.length
    const isLive =
      before.length > 1 && last && (added === 0 || added === 1) && bars.at(-2 - added) === before.at(-2)
    if (!isLive || (added === 1 && bars.at(-2)?.atMs !== before.at(-1)?.atMs)) this.#setData()
    else {
      for (const bar of added === 1 ? [bars.at(-2)!, last] : [last]) {
        this.#candles.update(candleOf(bar))
        this.#volume.update(this.#volumeOf(bar))
      }
      if (isIntraday(this.#timeframe)) this.#vwap.setData(vwapOf(bars))
    }
    if (added !== 0) this.#drawFills()
    this.#drawLast()
  }

  /** The last price has the colour of the last bar; the library would take the inside of a hollow one. */
  #drawLast(): void {
    const last = this.#bars.at(-1)
    const { up, down } = this.#colours
    if (last) this.#candles.applyOptions({ priceLineColor: last.close >= last.open ? up : down })
  }

  /** Prices that the scale keeps in view if they are near. */
  setLevels(levels: readonly number[]): void {
    if (levels.join() === this.#levels.join()) return
    this.#levels = levels
    // The scale is calculated again with new options.
    this.#candles.priceScale().applyOptions({ autoScale: true })
  }

  setFills(fills: readonly FillMark[]): void {
    this.#fills = fills
    this.#drawFills()
  }

  /** Shows the newest bars. */
  toNow(): void {
    this.#chart.timeScale().scrollToRealTime()
  }

  #setData(): void {
    this.#candles.setData(this.#bars.map(candleOf))
    this.#volume.setData(this.#bars.map((bar) => this.#volumeOf(bar)))
    this.#vwap.setData(isIntraday(this.#timeframe) ? vwapOf(this.#bars) : [])
  }

  #volumeOf({ atMs, open, close, volume }: ChartBar) {
    const { upSoft, downSoft } = this.#colours
    return { time: timeOf(atMs), value: volume, color: close >= open ? upSoft : downSoft }
  }

  #drawFills(): void {
    const first = this.#bars[0]
    if (!first) return
    const markers = this.#fills
      .filter(({ atMs }) => atMs >= first.atMs)
      .map(({ atMs, price, side, text }): SeriesMarker<Time> => {
        const bar = this.#bars.findLast((one) => one.atMs <= atMs)!
        const isBuy = side === 'buy'
        return {
          time: timeOf(bar.atMs),
          position: isBuy ? 'atPriceBottom' : 'atPriceTop',
          price,
          shape: isBuy ? 'arrowUp' : 'arrowDown',
          color: isBuy ? this.#colours.accent : this.#colours.ink,
          text,
        }
      })
      .sort((a, b) => (a.time as number) - (b.time as number))
    this.#markers.setMarkers(markers)
  }

  #applyColours(): void {
    const { up, down, sheet, warn } = this.#colours
    this.#chart.applyOptions(chartOptions(this.#colours, this.#timeframe))
    // Rising candles are hollow, so that the colour is not the only signal.
    this.#candles.applyOptions({
      upColor: sheet,
      borderUpColor: up,
      wickUpColor: up,
      downColor: down,
      borderDownColor: down,
      wickDownColor: down,
    })
    this.#vwap.applyOptions({ color: warn })
  }

  #autoscale(info: AutoscaleInfo | null): AutoscaleInfo | null {
    if (!info?.priceRange) return info
    const { minValue, maxValue } = info.priceRange
    const reach = Math.max((maxValue - minValue) * 1.5, maxValue * 0.03)
    const near = this.#levels.filter((level) => level > minValue - reach && level < maxValue + reach)
    return {
      ...info,
      priceRange: { minValue: Math.min(minValue, ...near), maxValue: Math.max(maxValue, ...near) },
    }
  }

  /** Reports what the chart shows: after it was moved, zoomed, or drawn with another scale. */
  #follow(): void {
    const timeScale = this.#chart.timeScale()
    const report = () => {
      if (this.#isDrawn) return
      this.#isDrawn = true
      requestAnimationFrame(() => {
        this.#isDrawn = false
        if (!this.#isClosed) this.#report()
      })
    }
    this.#candles.attachPrimitive({ updateAllViews: report })
    timeScale.subscribeVisibleLogicalRangeChange((range) => {
      if (range && range.from < BARS_BEFORE_START) this.#watchers.onStart()
    })
    this.#chart.subscribeCrosshairMove(({ logical }) => {
      this.#watchers.onHover(logical === undefined ? undefined : this.#bars[logical])
    })
    report()
  }

  #report(): void {
    const timeScale = this.#chart.timeScale()
    const range = timeScale.getVisibleLogicalRange()
    const { width, height } = this.#chart.paneSize()
    const [top, bottom] = [this.#candles.coordinateToPrice(0), this.#candles.coordinateToPrice(height)]
    if (!range || top === null || bottom === null) return
    const bars = this.#bars
    // The library knows only whole bars; between them the distance is the same.
    const zero = timeScale.logicalToCoordinate(0 as Logical) ?? 0
    const spacing = ((timeScale.logicalToCoordinate(1000 as Logical) ?? 0) - zero) / 1000
    const xOf = (index: number): number => zero + index * spacing
    const signature = [range.from, range.to, width, height, top, bottom, bars.length, bars[0]?.atMs].join()
    if (signature === this.#signature) return
    this.#signature = signature
    this.#watchers.onView({
      width,
      height,
      x: (atMs) => xOf(fractionalIndex(bars, atMs)),
      y: (price) => ((top - price) / (top - bottom)) * height,
      priceAt: (y) => top - (y / height) * (top - bottom),
      lastX: xOf(bars.length - 0.5),
      fromMs: bars[Math.max(Math.floor(range.from), 0)]?.atMs ?? 0,
    })
  }
}

const candleOf = ({ atMs, open, high, low, close }: ChartBar) => ({
  time: timeOf(atMs),
  open,
  high,
  low,
  close,
})
