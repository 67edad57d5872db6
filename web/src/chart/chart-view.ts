import type { ChartBar } from './bar-source.ts'

/** Where the chart shows times and prices, for what is laid over it. */
export type ChartView = {
  /** The size of the plot, without the axes. */
  readonly width: number
  readonly height: number
  readonly x: (atMs: number) => number
  readonly y: (price: number) => number
  readonly priceAt: (y: number) => number
  /** The right edge of the last bar. */
  readonly lastX: number
  /** The start of the first bar in view. */
  readonly fromMs: number
}

/** The place of an instant among the bars: 2.5 is in the middle between the third bar and the fourth. */
export function fractionalIndex(bars: readonly ChartBar[], atMs: number): number {
  let [low, high] = [0, bars.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (bars[middle]!.atMs <= atMs) low = middle + 1
    else high = middle
  }
  const [before, after] = [bars[low - 1], bars[low]]
  if (!before) return -0.5
  if (!after) return low - 1
  return low - 1 + (atMs - before.atMs) / (after.atMs - before.atMs)
}
