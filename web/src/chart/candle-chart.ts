import type {
  AutoscaleInfo,
  IChartApi,
  ISeriesApi,
  ISeriesMarkersPluginApi,
  Logical,
  Time,
} from 'lightweight-charts'
import { type ChartBar, timeOf } from './bar.ts'
import { type Colours, readColours } from './chart-colours.ts'
import { chartOptions } from './chart-options.ts'
import { type ChartView, fractionalIndex, instantAt } from './chart-view.ts'
import { type FillMark, fillMarkers } from './fill-marks.ts'
import { ChartLines } from './indicators/chart-lines.ts'
import type { ChartLine } from './indicators/indicator-lines.ts'
import { withLevels } from './order-levels.ts'
import type { Timeframe } from './timeframes.ts'

type Library = typeof import('lightweight-charts')

type Watchers = {
  readonly onView: (view: ChartView) => void
  readonly onHover: (bar: ChartBar | undefined) => void
  /** The oldest bars came into view. */
  readonly onStart: () => void
}

const BARS_BEFORE_START = 40
/** The least that a range shows. */
const BARS_LEAST = 30
/** Half of the label of a time, which is in the middle of its bar. */
const LABEL_HALF_PX = 20

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
  readonly #lines: ChartLines
  readonly #markers: ISeriesMarkersPluginApi<Time>
  readonly #timeframe: Timeframe
  readonly #watchers: Watchers
  #colours: Colours
  #bars: readonly ChartBar[] = []
  #fills: readonly FillMark[] = []
  #levels: readonly number[] = []
  #signature = ''
  #isDrawn = false
  #isLogarithmic = false
  #drawn: readonly ChartLine[] = []
  #isClosed = false
  readonly #redraw = () => {
    this.#colours = readColours()
    this.#applyColours()
    this.#setData()
    this.setLines(this.#drawn)
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
    this.#lines = new ChartLines(library, this.#chart)
    this.#candles = this.#chart.addSeries(library.CandlestickSeries, {
      autoscaleInfoProvider: (original: () => AutoscaleInfo | null) => withLevels(original(), this.#levels),
    })
    this.#candles.priceScale().applyOptions({ scaleMargins: { top: 0.09, bottom: 0.17 } })
    this.#markers = library.createSeriesMarkers(this.#candles, [])
    this.#applyColours()
    // A canvas has no text, so tests read what is drawn here.
    Object.assign(element, {
      chart: this.#chart,
      drawn: () => [this.#candles.data(), this.#volume.data()],
    })
    this.#follow()
    addEventListener('quipu-theme', this.#redraw)
  }

  /** The library throws for a chart that is closed. */
  get isClosed(): boolean {
    return this.#isClosed
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

  /** Draws the indicators, which have one value per bar. */
  setLines(lines: readonly ChartLine[]): void {
    this.#drawn = lines
    this.#lines.draw(lines, this.#bars, this.#colours)
  }

  /** Equal distances are equal gains. */
  setLogarithmic(isLogarithmic: boolean): void {
    this.#isLogarithmic = isLogarithmic
    this.#candles.priceScale().applyOptions({ mode: isLogarithmic ? 1 : 0 })
  }

  /** Shows the bars from an index to the newest one, and a little room for what follows. */
  showFrom(index: number): void {
    // Few bars stay narrow and leave space for those that follow: two bars over the whole chart look broken.
    const to = Math.max(this.#bars.length, index + BARS_LEAST)
    const before = ((to - index) * LABEL_HALF_PX) / Math.max(this.#chart.paneSize().width, LABEL_HALF_PX)
    const timeScale = this.#chart.timeScale()
    // The range stays when the width changes, for example because the prices beside it get longer.
    timeScale.applyOptions({ lockVisibleTimeRangeOnResize: true })
    timeScale.setVisibleLogicalRange({
      from: (index - before) as Logical,
      to: (to + Math.max((to - index) * 0.14, 2)) as Logical,
    })
  }

  /** Puts the crosshair on a bar; undefined removes it. */
  pointAt(index: number | undefined): void {
    const bar = index === undefined ? undefined : this.#bars[index]
    if (bar) this.#chart.setCrosshairPosition(bar.close, timeOf(bar.atMs), this.#candles)
    else this.#chart.clearCrosshairPosition()
  }

  #setData(): void {
    this.#candles.setData(this.#bars.map(candleOf))
    this.#volume.setData(this.#bars.map((bar) => this.#volumeOf(bar)))
  }

  #volumeOf({ atMs, open, close, volume }: ChartBar) {
    const { upSoft, downSoft } = this.#colours
    return { time: timeOf(atMs), value: volume, color: close >= open ? upSoft : downSoft }
  }

  #drawFills(): void {
    if (this.#bars.length > 0) this.#markers.setMarkers(fillMarkers(this.#fills, this.#bars, this.#colours))
  }

  #applyColours(): void {
    const { up, down, sheet } = this.#colours
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
    const scale = [width, height, top, bottom, this.#isLogarithmic]
    const signature = [range.from, range.to, scale, bars.length, bars[0]?.atMs].join()
    if (signature === this.#signature) return
    this.#signature = signature
    this.#watchers.onView({
      width,
      height,
      spacing,
      x: (atMs) => xOf(fractionalIndex(bars, atMs)),
      ...this.#priceAxis(top, bottom, height),
      timeAt: (x) => instantAt(bars, (x - zero) / spacing, this.#timeframe.seconds * 1000),
      lastX: xOf(bars.length - 0.5),
      fromMs: bars[Math.max(Math.ceil(range.from), 0)]?.atMs ?? 0,
    })
  }

  /** The places of prices; a logarithmic scale has the library's own formula. */
  #priceAxis(top: number, bottom: number, height: number): Pick<ChartView, 'y' | 'priceAt'> {
    if (this.#isLogarithmic)
      return {
        y: (price) => (this.#isClosed ? 0 : (this.#candles.priceToCoordinate(price) ?? 0)),
        priceAt: (y) => (this.#isClosed ? 0 : (this.#candles.coordinateToPrice(y) ?? 0)),
      }
    return {
      y: (price) => ((top - price) / (top - bottom)) * height,
      priceAt: (y) => top - (y / height) * (top - bottom),
    }
  }
}

const candleOf = ({ atMs, open, high, low, close }: ChartBar) => ({
  time: timeOf(atMs),
  open,
  high,
  low,
  close,
})
