/** A market event on the time axis: a moment, or a span of time. */
export type ChartEvent = {
  readonly label: string
  readonly fromMs: number
  readonly toMs?: number | undefined
}

export type Point = readonly [atMs: number, value: number]

export type Series = {
  readonly name: string
  /** A CSS colour, such as `var(--accent)`. */
  readonly color: string
  readonly points: readonly Point[]
  readonly area?: boolean
  /** Shows the last value at the right edge. */
  readonly tag?: boolean
  readonly label?: string
  readonly dashed?: boolean
}

/** A horizontal line, such as the limit of an order. */
export type Level = {
  readonly value: number
  readonly label: string
  readonly color: string
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
}

/** A point with a name, such as a fill or the closest quote. */
export type Mark = {
  readonly atMs: number
  readonly value: number
  readonly color: string
  readonly label?: string
  readonly hollow?: boolean
}

export type LineChartProps = {
  readonly series: readonly Series[]
  readonly fromMs: number
  readonly toMs: number
  /** Later times are hatched: not played yet. */
  readonly nowMs?: number | undefined
  readonly base?: { readonly value: number; readonly label: string } | undefined
  readonly levels?: readonly Level[]
  readonly marks?: readonly Mark[]
  readonly events?: readonly ChartEvent[]
  readonly height?: number
  readonly places?: number
  /** What the curve is, as its path in the account snapshot. */
  readonly of?: string
  /** What a screen reader says: range, lowest, own fills. */
  readonly summary: string
}

const RIGHT = 64
const BOTTOM = 22
const TOP = 24

/** What the parts of a chart need to place themselves. */
export type Frame = {
  readonly width: number
  readonly height: number
  readonly top: number
  readonly bottom: number
  readonly right: number
  readonly x: (atMs: number) => number
  readonly y: (value: number) => number
}

/** The frame around all values of a chart. */
export function frameOf(
  { series, levels = [], marks = [], base, fromMs, toMs }: LineChartProps,
  width: number,
  height: number,
): Frame {
  const values = [
    ...series.flatMap(({ points }) => points.map(([, value]) => value)),
    ...levels.map(({ value }) => value),
    ...marks.map(({ value }) => value),
    ...(base ? [base.value] : []),
  ]
  const [least, most] = values.length === 0 ? [0, 1] : [Math.min(...values), Math.max(...values)]
  const margin = most > least ? (most - least) * 0.08 : Math.max(Math.abs(most) * 0.01, 1)
  const [low, high] = [least - margin, most + margin]
  const right = width - RIGHT
  const bottom = height - BOTTOM
  return {
    width,
    height,
    top: TOP,
    bottom,
    right,
    x: (atMs) => ((atMs - fromMs) / Math.max(toMs - fromMs, 1)) * right,
    y: (value) => bottom - ((value - low) / (high - low)) * (bottom - TOP),
  }
}

/** The value at a height, from two values of the scale. */
export function valueAt({ y }: Frame, at: number): number {
  const [zero, one] = [y(0), y(1)]
  return (at - zero) / (one - zero)
}
