import type { JSX } from 'preact'
import { axisText, axisValues, stepDecimals } from '../../parts/scale.ts'

export type RunLine = { readonly kind: 'own' | 'hold' | 'fall' | 'other'; readonly values: readonly number[] }

type RunChartProps = {
  readonly label: string
  readonly lines: readonly RunLine[]
  readonly height: number
  /** Where the position is, from 0 to 1. */
  readonly share?: number
  readonly events?: readonly { readonly share: number; readonly label: string }[]
}

const WIDTH = 1000

/** Lines over the points of a run. All points have the same distance. */
export function RunChart({ label, lines, height, share, events = [] }: RunChartProps): JSX.Element {
  const all = lines.flatMap(({ values }) => values)
  const [low, high] = limitsOf(all)
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
  return (
    <div class="run-chart" role="img" aria-label={label} style={{ height: `${height}px` }}>
      {levels.map((value) => (
        <span key={value} class="level" style={{ top: `${y(value)}px` }}>
          <i>{axisText(value, decimals)}</i>
        </span>
      ))}
      <svg viewBox={`0 0 ${WIDTH} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {lines.map((line) => (
          <polyline key={line.kind} class={line.kind} points={path(line)} />
        ))}
      </svg>
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

function limitsOf(values: readonly number[]): readonly [number, number] {
  const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)
  const high = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)
  const space = (high - low) * 0.06
  return values.length === 0 ? [0, 1] : [low - space, high + space]
}
