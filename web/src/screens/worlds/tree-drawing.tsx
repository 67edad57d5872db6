import type { JSX } from 'preact'
import { minuteText, secondText } from '../../format/times.ts'
import { shareOf, ticksOf } from '../../shell/time-marks.ts'
import { bandsOf, type TreeBand } from './tree-bands.ts'
import type { Lane } from './tree-lanes.ts'

/** A line as it is drawn. */
export type DrawnLane = Lane & {
  readonly nowMs: number
  readonly fills: readonly number[]
  readonly look: 'here' | 'against' | 'temporary' | 'plain'
}

type Drawing = {
  readonly lanes: readonly DrawnLane[]
  readonly span: { readonly fromMs: number; readonly toMs: number }
  /** The clock of the world on screen. */
  readonly nowMs: number
  readonly width: number
}

export const ROW = 54
const TOP = 50
export const topOf = (row: number): number => TOP + row * ROW
export const heightOf = (rows: number): number => topOf(rows - 1) + 34

const colours = {
  here: 'var(--accent)',
  against: 'var(--warn)',
  temporary: 'var(--sim)',
  plain: 'var(--edge)',
} as const

/** The branches of a tree over time. Everything in it is in the table too. */
export function TreeDrawing({ lanes, span, nowMs, width }: Drawing): JSX.Element {
  const height = heightOf(lanes.length)
  const x = (ms: number) => shareOf(span, ms) * (width - 24) + 8
  const end = Math.max(...lanes.map((lane) => lane.nowMs))
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <defs>
        <pattern
          id="tree-future"
          width="7"
          height="7"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(35)"
        >
          <line x1="0" y1="0" x2="0" y2="7" class="hatch" />
        </pattern>
      </defs>
      {ticksOf(span, width).map(({ at, label }, index) => (
        <g key={at}>
          <line class="grid" x1={x(at)} x2={x(at)} y1="26" y2={height - 6} />
          {Math.abs(x(at) - x(nowMs)) > 56 && (
            <text x={x(at)} y="14" text-anchor={index === 0 ? 'start' : 'middle'}>
              {label}
            </text>
          )}
        </g>
      ))}
      <rect
        x={x(end)}
        y="26"
        width={Math.max(x(span.toMs) - x(end), 0)}
        height={height - 32}
        fill="url(#tree-future)"
      />
      <text x={x(end) + 10} y={height - 10}>
        not played yet
      </text>
      <Bands bands={bandsOf(lanes)} x={x} span={span} height={height} />
      <Present x={x(nowMs)} nowMs={nowMs} height={height} />
      {lanes.map((lane, row) => (
        <Line key={lane.world.world} lane={lane} row={row} x={x} fromMs={span.fromMs} />
      ))}
      {lanes.map((lane, row) => (
        <Knots key={lane.world.world} lane={lane} row={row} x={x} fromMs={span.fromMs} right={width} />
      ))}
    </svg>
  )
}

type BandsProps = Pick<Drawing, 'span'> & {
  readonly bands: readonly TreeBand[]
  readonly x: (ms: number) => number
  readonly height: number
}

/** A band of the root is over all lines, one of a branch over its own. */
const Bands = ({ bands, x, span: { fromMs, toMs }, height }: BandsProps): JSX.Element => (
  <>
    {bands
      .filter((band) => band.toMs >= fromMs && band.fromMs <= toMs)
      .map(({ label, row, ...times }) => {
        const [left, right] = [x(times.fromMs), x(times.toMs)]
        const [top, bottom] = row === undefined ? [26, height - 6] : [topOf(row) - 22, topOf(row) + 8]
        return (
          <g key={`${label} ${row} ${times.fromMs}`} class="band">
            <rect x={left} y={top} width={Math.max(right - left, 2)} height={bottom - top} />
            <text x={left + 3} y={row === undefined ? bottom - 4 : top + 11}>
              {label}
            </text>
          </g>
        )
      })}
  </>
)

function Present({
  x,
  nowMs,
  height,
}: {
  readonly x: number
  readonly nowMs: number
  readonly height: number
}) {
  return (
    <g class="present">
      <line x1={x} x2={x} y1="22" y2={height - 6} />
      <rect x={x - 33} y="4" width="66" height="18" rx="4" />
      <text x={x} y="17" text-anchor="middle">
        {secondText(nowMs)}
      </text>
    </g>
  )
}

type LineProps = {
  readonly lane: DrawnLane
  readonly row: number
  readonly x: (ms: number) => number
}

const forkedMs = ({ world: { forked_at: at } }: DrawnLane): number | undefined =>
  at === undefined ? undefined : Date.parse(at)

/** Where a line ends: a branch that was not played is as long as its bend. */
const tipX = ({ lane, x }: Pick<LineProps, 'lane' | 'x'>): number => {
  const from = lane.parent === undefined ? undefined : forkedMs(lane)
  return Math.max(x(lane.nowMs), from === undefined ? 0 : x(from) + 16)
}

function Line({ lane, row, x, fromMs }: LineProps & { readonly fromMs: number }): JSX.Element {
  const [y, tip, at] = [topOf(row), tipX({ lane, x }), forkedMs(lane)]
  const style = {
    stroke: colours[lane.look],
    strokeWidth: lane.look === 'here' ? 3 : 2.25,
    ...(lane.look === 'temporary' && { strokeDasharray: '4 3' }),
  }
  if (lane.parent === undefined || at === undefined)
    return <path d={`M${x(at ?? fromMs)} ${y}H${tip}`} fill="none" style={style} />
  const from = x(at)
  return (
    <path
      d={`M${from} ${topOf(lane.parent)}V${y - 12}Q${from} ${y} ${from + 12} ${y}H${tip}`}
      fill="none"
      style={style}
    />
  )
}

const FILLS_SHOWN = 8

type KnotsProps = LineProps & { readonly fromMs: number; readonly right: number }

/** The fork on the parent, the fills, and the tip with a leader to its row. */
function Knots({ lane, row, x, fromMs, right }: KnotsProps): JSX.Element {
  const [y, tip, at] = [topOf(row), tipX({ lane, x }), forkedMs(lane)]
  const fill = colours[lane.look]
  const fills = lane.fills.filter((ms) => ms >= fromMs)
  return (
    <g>
      {lane.parent !== undefined && at !== undefined && (
        <circle class="fork" cx={x(at)} cy={topOf(lane.parent)} r="4.5">
          <title>
            {lane.world.world} begins at {minuteText(at)}
          </title>
        </circle>
      )}
      {fills.length <= FILLS_SHOWN
        ? fills.map((ms, index) => (
            <circle key={`${ms} ${index}`} class="knot" cx={x(ms)} cy={y} r="4" fill={fill} />
          ))
        : fills.length > 0 && (
            <g class="fills">
              <line x1={x(fills[0]!)} x2={x(fills.at(-1)!)} y1={y} y2={y} stroke={fill} />
              <text x={(x(fills[0]!) + x(fills.at(-1)!)) / 2} y={y - 9} text-anchor="middle">
                {fills.length}
              </text>
            </g>
          )}
      <circle class="knot" cx={tip} cy={y} r="6" fill={fill} />
      <line class="leader" x1={tip + 10} x2={right} y1={y} y2={y} />
    </g>
  )
}
