import type { JSX } from 'preact'
import { useId } from 'preact/hooks'
import type { ChartEvent, Frame } from './chart-frame.ts'

/** The market events of a chart, and the future, which is hatched. */
export function ChartEvents({
  frame,
  events,
  nowMs,
  toMs,
}: {
  readonly frame: Frame
  readonly events: readonly ChartEvent[]
  readonly nowMs: number | undefined
  readonly toMs: number
}): JSX.Element {
  const hatch = useId()
  const { x, top, bottom, right } = frame
  const now = nowMs === undefined || nowMs >= toMs ? undefined : Math.max(x(nowMs), 0)
  let free = Number.NEGATIVE_INFINITY
  return (
    <g aria-hidden="true">
      <pattern id={hatch} width={7} height={7} patternUnits="userSpaceOnUse" patternTransform="rotate(35)">
        <line x1={0} y1={0} x2={0} y2={7} stroke="var(--sim)" stroke-width={1.2} opacity={0.16} />
      </pattern>
      {events
        .map((event) => ({ ...event, left: x(event.fromMs), end: x(event.toMs ?? event.fromMs) }))
        .filter(({ left, end }) => end >= 0 && left <= right)
        .sort((a, b) => a.left - b.left)
        .map(({ label, left, end, toMs: endsAt, fromMs }, index, all) => {
          const width = label.length * 6.5
          const nextLeft = all[index + 1]?.left ?? frame.width
          // A label that would touch the next one moves to the left, if there is room; otherwise it is left out.
          const start = left + width + 8 > nextLeft ? Math.max(end - width, 0) : Math.max(left, 0)
          const hasRoom = start > free && start + width < frame.width
          if (hasRoom) free = start + width + 8
          return (
            <g key={`${fromMs} ${label}`}>
              <title>{label}</title>
              {endsAt === undefined ? (
                <line class="event-line" x1={left} x2={left} y1={top} y2={bottom} />
              ) : (
                <rect
                  class="event-band"
                  x={Math.max(left, 0)}
                  y={top}
                  width={Math.max(Math.min(end, right) - Math.max(left, 0), 2)}
                  height={bottom - top}
                />
              )}
              {hasRoom && (
                <text class="event-label" x={start} y={top - 7}>
                  {label}
                </text>
              )}
            </g>
          )
        })}
      {now !== undefined && now < right && (
        <>
          <rect x={now} y={top} width={right - now} height={bottom - top} fill={`url(#${hatch})`} />
          {right - now > 90 && (
            <text x={now + 8} y={bottom - 8}>
              not played yet
            </text>
          )}
        </>
      )}
    </g>
  )
}
