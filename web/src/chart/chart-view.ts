import type { ChartBar } from './bar.ts'

/** Where the chart shows times and prices, for what is laid over it. */
export type ChartView = {
  /** The size of the plot, without the axes. */
  readonly width: number
  readonly height: number
  /** The distance of two bars. */
  readonly spacing: number
  readonly x: (atMs: number) => number
  readonly y: (price: number) => number
  readonly priceAt: (y: number) => number
  /** The instant at a place; right of the last bar it is in the future. */
  readonly timeAt: (x: number) => number
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

/** The instant of a place among the bars. After the last one, bars of the same length would follow. */
export function instantAt(bars: readonly ChartBar[], index: number, lengthMs: number): number {
  const last = bars.length - 1
  if (last < 0) return 0
  if (index >= last) return bars[last]!.atMs + (index - last) * lengthMs
  const before = Math.max(Math.floor(index), 0)
  const [from, to] = [bars[before]!.atMs, bars[before + 1]!.atMs]
  // A night between two bars takes no width.
  return from + Math.max(index - before, 0) * Math.min(to - from, lengthMs)
}
