import type { JSX } from 'preact'
import { axisText, axisValues, stepDecimals } from '../../parts/scale.ts'
import type { RunTick } from './run-ticks.ts'

export type RunLine = {
  readonly kind: 'own' | 'hold' | 'spy' | 'fall' | 'other'
  readonly values: readonly number[]
}

type RunChartProps = {
  readonly label: string
  readonly lines: readonly RunLine[]
  readonly height: number
  /** The least that the scale spans: a smaller move looks as small as it is. */
  readonly least: number
  /** Where the position is, from 0 to 1. */
  readonly share?: number
  readonly events?: readonly { readonly share: number; readonly label: string }[]
  /** The times below it. */
  readonly ticks?: readonly RunTick[]
}

const WIDTH = 1000

/** Lines over the points of a run. All points have the same distance. */
export function RunChart(props: RunChartProps): JSX.Element {
  const { label, lines, height, least, share, events = [], ticks = [] } = props
  const all = lines.flatMap(({ values }) => values)
  const [low, high] = limitsOf(all, least)
  const y = (value: number): number =>
    high === low ? height / 2 : (1 - (value - low) / (high - low)) * height
  const levels = axisValues(low, high, height / 44)
  const decimals = stepDecimals(levels)
  const path = ({ values }: RunLine): string =>
    values
      .map(
        (value, index) =>
          `${((index / Math.max(values.length - 1, 1)) * WIDTH).toFixed(1)},${y(value).toFixed(1)}`,
      )
      .join(' ')
  const lasts = lastValues(lines, y)
  const isFree = (value: number): boolean => lasts.every(({ top }) => Math.abs(top - y(value)) > LABEL_PX - 3)
  return (
    <div class="run-chart" role="img" aria-label={label} style={{ height: `${height}px` }}>
      {levels.map((value) => (
        <span key={value} class="level" style={{ top: `${y(value)}px` }}>
          {isFree(value) && <i>{axisText(value, decimals)}</i>}
        </span>
      ))}
      <svg viewBox={`0 0 ${WIDTH} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {lines.map((line) => (
          <polyline key={line.kind} class={line.kind} points={path(line)} />
        ))}
      </svg>
      {lasts.map(({ kind, value, top }) => (
        <b key={kind} class={`last ${kind}`} style={{ top: `${top}px` }} aria-hidden="true">
          {axisText(value, decimals)}
        </b>
      ))}
      {ticks.length > 0 && (
        <div class="run-ticks" aria-hidden="true">
          {ticks.map((tick) => (
            <i
              key={tick.share}
              class={tick.share === 0 ? 'first' : ''}
              style={{ left: `${tick.share * 100}%` }}
            >
              {tick.label}
            </i>
          ))}
        </div>
      )}
      <div class="run-marks" aria-hidden="true">
        {events.map((event, index) => (
          <span key={`${event.label} ${index}`} class="mark" style={{ left: `${event.share * 100}%` }}>
            <i>{event.label}</i>
          </span>
        ))}
        {share !== undefined && <span class="cursor" style={{ left: `${share * 100}%` }} />}
      </div>
    </div>
  )
}

const LABEL_PX = 17

/** The last value of each line of equity, on the axis. Those of two lines that end near each other stay apart. */
function lastValues(lines: readonly RunLine[], y: (value: number) => number) {
  if (lines.some(({ kind }) => kind === 'fall')) return []
  const lasts = lines
    .flatMap(({ kind, values }) => values.slice(-1).map((value) => ({ kind, value, top: y(value) })))
    .sort((a, b) => a.top - b.top)
  let free = Number.NEGATIVE_INFINITY
  return lasts.map((last) => {
    const top = Math.max(last.top, free)
    free = top + LABEL_PX
    return { ...last, top }
  })
}

function limitsOf(values: readonly number[], least: number): readonly [number, number] {
  const low = values.reduce((lowest, value) => Math.min(lowest, value), Number.POSITIVE_INFINITY)
  const high = values.reduce((highest, value) => Math.max(highest, value), Number.NEGATIVE_INFINITY)
  if (values.length === 0) return [0, 1]
  const missing = Math.max(least - (high - low), 0)
  const space = (high - low + missing) * 0.06
  // A fall never rises above zero.
  return high <= 0
    ? [low - missing - space, high + space]
    : [low - missing / 2 - space, high + missing / 2 + space]
}
