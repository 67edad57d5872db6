import type { JSX } from 'preact'
import { dayText, minuteText, secondText } from '../format/times.ts'
import type { Frame, LineChartProps, Point } from './chart-frame.ts'
import { axisText } from './scale.ts'

const ROWS_MAX = 500

/** The data behind a chart, for people who cannot see it. */
export function DataTable({ series, summary, places = 0 }: LineChartProps): JSX.Element {
  const times = [...new Set(series.flatMap(({ points }) => points.map(([at]) => at)))].sort((a, b) => b - a)
  const values = series.map(({ points }) => new Map(points))
  return (
    <div class="virtual-list chart-table" tabIndex={0} role="region" aria-label={summary}>
      <table>
        <thead>
          <tr>
            <th>Time in New York</th>
            {series.map(({ name }) => (
              <th key={name} class="r">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.slice(0, ROWS_MAX).map((at) => (
            <tr key={at}>
              <td>
                {dayText(at)} {secondText(at)}
              </td>
              {values.map((column, index) => (
                <td key={series[index]!.name} class="r n">
                  {column.has(at) ? axisText(column.get(at)!, Math.max(places, 2)) : ''}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The values under the pointer. */
export function Tip({
  frame,
  series,
  fromMs,
  toMs,
  nowMs,
  at,
  places = 0,
}: LineChartProps & { readonly frame: Frame; readonly at: number }): JSX.Element | null {
  const atMs = fromMs + (at / frame.right) * (toMs - fromMs)
  if (at > frame.right || (nowMs !== undefined && atMs > nowMs)) return null
  const isLong = toMs - fromMs > 2 * 86_400_000
  const left = Math.min(at + 12, frame.width - 190)
  return (
    <div class="tip" style={{ left: `${left}px`, top: `${frame.top + 4}px` }}>
      <span class="faint">
        {isLong && dayText(atMs)} {minuteText(atMs)}
      </span>
      {series.map(({ name, color, points }) => {
        const point = lastBefore(points, atMs)
        return (
          point && (
            <div key={name}>
              <span style={{ color }}>●</span> {name} <b>{axisText(point[1], Math.max(places, 2))}</b>
            </div>
          )
        )
      })}
    </div>
  )
}

function lastBefore(points: readonly Point[], atMs: number): Point | undefined {
  let [low, high] = [0, points.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (points[middle]![0] <= atMs) low = middle + 1
    else high = middle
  }
  return points[low - 1]
}
