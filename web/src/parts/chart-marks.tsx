import type { JSX } from 'preact'
import { useId } from 'preact/hooks'
import { dayText, minuteText } from '../format/times.ts'
import {
  type Frame,
  type Level,
  type LineChartProps,
  type Mark,
  type Series,
  valueAt,
} from './chart-frame.ts'
import { axisText, axisTimes, axisValues, stepDecimals } from './scale.ts'

export function Axes({
  frame,
  fromMs,
  toMs,
  series,
  places = 0,
}: LineChartProps & { readonly frame: Frame }): JSX.Element {
  const { width, top, bottom, right, x, y } = frame
  const span = (bottom - top) / 38
  const [low, high] = [valueAt(frame, bottom), valueAt(frame, top)]
  const tags = series.filter(({ tag }) => tag).map(({ points }) => y(points.at(-1)?.[1] ?? 0))
  const values = axisValues(low, high, Math.max(3, Math.round(span)))
  const shownPlaces = Math.max(places, stepDecimals(values))
  const isLong = toMs - fromMs > 2 * 86_400_000
  return (
    <g aria-hidden="true">
      {values.map((value) => (
        <g key={value}>
          <line
            class="grid"
            x1={0}
            x2={right}
            y1={Math.round(y(value)) + 0.5}
            y2={Math.round(y(value)) + 0.5}
          />
          {y(value) < bottom - 4 && !tags.some((tag) => Math.abs(tag - y(value)) < 15) && (
            <text x={right + 8} y={y(value) + 4}>
              {axisText(value, shownPlaces)}
            </text>
          )}
        </g>
      ))}
      {axisTimes(fromMs, toMs, Math.max(2, Math.floor(width / 80)))
        .filter((at) => x(at) > 14 && x(at) < right - 6)
        .map((at) => (
          <text key={at} x={x(at)} y={bottom + 15} text-anchor="middle">
            {isLong ? dayText(at) : minuteText(at)}
          </text>
        ))}
    </g>
  )
}

export function Base({
  frame: { right, y },
  base,
}: {
  readonly frame: Frame
  readonly base: { readonly value: number; readonly label: string }
}): JSX.Element {
  return (
    <g>
      <line class="base" x1={0} x2={right} y1={y(base.value)} y2={y(base.value)} />
      <text class="wide-only" x={right - 6} y={y(base.value) - 6} text-anchor="end">
        {base.label}
      </text>
    </g>
  )
}

export function Curve({
  frame,
  series,
  places,
}: {
  readonly frame: Frame
  readonly series: Series
  readonly places: number
}): JSX.Element | null {
  const id = useId()
  const { x, y, bottom, right } = frame
  const { points, color, area, tag, label, dashed } = series
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return null
  const path = points
    .map(([at, value], index) => `${index ? 'L' : 'M'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`)
    .join('')
  const text = axisText(last[1], places)
  return (
    <g>
      {area && (
        <>
          <linearGradient id={id} x1="0" y1="0" x2="0" y2="1">
            <stop offset="0" stop-color={color} stop-opacity="0.16" />
            <stop offset="1" stop-color={color} stop-opacity="0" />
          </linearGradient>
          <path d={`${path}L${x(last[0])} ${bottom}L${x(first[0])} ${bottom}Z`} fill={`url(#${id})`} />
        </>
      )}
      <path class="curve" d={path} stroke={color} stroke-dasharray={dashed ? '4 3' : undefined} />
      {label !== undefined && (
        <text class="strong" x={2} y={y(first[1]) - 8} style={{ fill: color }}>
          {label}
        </text>
      )}
      <circle cx={x(last[0])} cy={y(last[1])} r={3.5} fill={color} stroke="var(--sheet)" stroke-width={2} />
      {tag && (
        <g>
          <rect
            x={right + 2}
            y={y(last[1]) - 9}
            width={text.length * 6.5 + 10}
            height={18}
            rx={4}
            fill={color}
          />
          <text class="strong" x={right + 7} y={y(last[1]) + 4} style={{ fill: 'var(--sheet)' }}>
            {text}
          </text>
        </g>
      )}
    </g>
  )
}

export function LevelLine({
  frame: { x, y, bottom },
  level,
  fromMs,
  toMs,
}: { readonly frame: Frame; readonly level: Level } & LineChartProps): JSX.Element {
  const [left, right] = [x(Math.max(level.fromMs ?? fromMs, fromMs)), x(Math.min(level.toMs ?? toMs, toMs))]
  const at = y(level.value)
  return (
    <g>
      <line x1={left} x2={right} y1={at} y2={at} stroke={level.color} stroke-width={1.5} />
      <circle cx={left} cy={at} r={4} fill={level.color} />
      <rect
        x={right - 4}
        y={at - 4}
        width={8}
        height={8}
        fill="var(--sheet)"
        stroke={level.color}
        stroke-width={2}
      />
      <text
        class="strong"
        x={left + 10}
        y={at + 16 > bottom ? at - 8 : at + 16}
        style={{ fill: level.color }}
      >
        {level.label}
      </text>
    </g>
  )
}

export function MarkKnot({ frame, mark }: { readonly frame: Frame; readonly mark: Mark }): JSX.Element {
  const [cx, cy] = [frame.x(mark.atMs), frame.y(mark.value)]
  const { color, label, hollow } = mark
  const width = (label?.length ?? 0) * 6 + 14
  const left = cx + 14 + width < frame.right ? cx + 14 : Math.max(cx - 14 - width, 2)
  const middle = Math.max(cy - 30, frame.top + 10)
  return (
    <g>
      {label !== undefined && (
        <>
          <line x1={cx} y1={cy} x2={left > cx ? left : left + width} y2={middle} stroke={color} />
          <rect
            x={left}
            y={middle - 10}
            width={width}
            height={20}
            rx={4}
            fill="var(--raised)"
            stroke={color}
          />
          <text class="strong" x={left + 7} y={middle + 4} style={{ fill: color }}>
            {label}
          </text>
        </>
      )}
      <circle
        cx={cx}
        cy={cy}
        r={4.5}
        fill={hollow ? 'var(--sheet)' : color}
        stroke={hollow ? color : 'var(--sheet)'}
        stroke-width={2}
      />
    </g>
  )
}
