import type { AutoscaleInfo, IChartApi, ISeriesApi } from 'lightweight-charts'
import { type ChartBar, timeOf } from '../bar.ts'
import type { Colours } from '../chart-colours.ts'
import type { ChartLine } from './indicator-lines.ts'

type Library = typeof import('lightweight-charts')

const DASHED = 2
const BELOW_SHARE = 0.28
/** The pane below has the scale of the relative strength index. */
const belowScale = (): AutoscaleInfo => ({ priceRange: { minValue: 0, maxValue: 100 } })
const BELOW_LEVELS = [30, 70] as const

/** The lines on the canvas beside the candles: indicators, and the symbol to compare with. */
export class ChartLines {
  readonly #library: Library
  readonly #chart: IChartApi
  readonly #series = new Map<string, ISeriesApi<'Line'>>()

  constructor(library: Library, chart: IChartApi) {
    this.#library = library
    this.#chart = chart
  }

  draw(lines: readonly ChartLine[], bars: readonly ChartBar[], colours: Colours): void {
    for (const [key, series] of this.#series)
      if (!lines.some((line) => line.key === key)) {
        this.#chart.removeSeries(series)
        this.#series.delete(key)
      }
    for (const line of lines) {
      const series = this.#series.get(line.key) ?? this.#add(line, colours)
      series.applyOptions({ color: colours[line.colour], lineStyle: line.isDashed ? DASHED : 0 })
      series.setData(
        bars.flatMap(({ atMs }, index) => {
          const value = line.values[index]
          if (value === undefined) return []
          const time = timeOf(atMs)
          // The colour of a point is that of the line to the next one.
          return [{ time, value, ...(line.ends?.has(index) && { color: 'transparent' }) }]
        }),
      )
    }
  }

  #add({ key, where, isScaled }: ChartLine, colours: Colours): ISeriesApi<'Line'> {
    const isBelow = where === 'below'
    const series = this.#chart.addSeries(
      this.#library.LineSeries,
      {
        lineWidth: isBelow || key.startsWith('bollinger') ? 1 : 2,
        lastValueVisible: false,
        priceLineVisible: false,
        crosshairMarkerVisible: false,
        // A distant average would press the candles flat; a compared symbol is to be seen.
        ...(isBelow
          ? { autoscaleInfoProvider: belowScale }
          : isScaled
            ? {}
            : { autoscaleInfoProvider: () => null }),
      },
      isBelow ? 1 : 0,
    )
    if (isBelow) {
      this.#chart.panes()[0]?.setStretchFactor(1 - BELOW_SHARE)
      this.#chart.panes()[1]?.setStretchFactor(BELOW_SHARE)
      for (const price of BELOW_LEVELS)
        series.createPriceLine({
          price,
          color: colours.edge,
          lineWidth: 1,
          lineStyle: DASHED,
          axisLabelVisible: false,
        })
    }
    this.#series.set(key, series)
    return series
  }
}
