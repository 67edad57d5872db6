import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { numberOf } from '../format/decimal.ts'
import type { ChartEvent } from '../parts/chart-frame.ts'
import { Story } from '../story/story.tsx'
import type { ChartView } from './chart-view.ts'
import type { Box } from './fill-labels.ts'
import type { Ghost } from './order-levels.ts'
import { adjusted, type Split } from './symbol-events.ts'

const LETTER_WIDTH = 6.6
const NAME_HEIGHT = 20

type ShownEvent = ChartEvent & {
  readonly left: number
  readonly width: number
  /** Where the name is; undefined if there is no space for it. */
  readonly name: Box | undefined
}

/** The events in view, and the places of their names at the top. */
export function placeEvents(events: readonly ChartEvent[], view: ChartView): readonly ShownEvent[] {
  let free = 0
  return events
    .filter(({ fromMs, toMs }) => (toMs ?? fromMs) >= view.fromMs)
    .map((event) => {
      const left = Math.max(view.x(event.fromMs), 0)
      const end = event.toMs === undefined ? left : Math.min(view.x(event.toMs), view.lastX, view.width)
      return { ...event, left, width: Math.max(end - left, 0) }
    })
    .filter(({ left }) => left <= view.width)
    .sort((a, b) => a.left - b.left)
    .map((event) => {
      const length = event.label.length * LETTER_WIDTH
      const start = Math.min(event.left, view.width - length)
      const hasRoom = start >= free && start >= 0
      if (hasRoom) free = start + length + 8
      return {
        ...event,
        name: hasRoom ? { left: start, top: 0, width: length, height: NAME_HEIGHT } : undefined,
      }
    })
}

/** Events as bands and lines over the chart, with their names on top. */
export const EventMarks = ({ events }: { readonly events: readonly ShownEvent[] }): JSX.Element => (
  <>
    {events.map(({ label, fromMs, left, width, name }) => (
      <div key={`${fromMs} ${label}`} class="event" title={label}>
        <span
          class={width > 1 ? 'band' : 'moment'}
          style={{ left: `${left}px`, ...(width > 1 && { width: `${width}px` }) }}
        />
        {name && (
          <span class="event-name" style={{ left: `${name.left}px` }}>
            {label}
          </span>
        )}
      </div>
    ))}
  </>
)

/** The future of a virtual world is hatched. */
export function Future({ view }: { readonly view: ChartView }): JSX.Element | null {
  const left = Math.max(view.lastX, 0)
  if (left >= view.width) return null
  const width = view.width - left
  return (
    <div class="future" style={{ left: `${left}px`, width: `${width}px` }}>
      {width > 84 && <span>not played yet</span>}
    </div>
  )
}

const GHOSTS_MAX = 12

/** Canceled and expired orders, newest first, at their price. */
export function Ghosts({
  ghosts,
  view,
  splits,
}: {
  readonly ghosts: readonly Ghost[]
  readonly view: ChartView
  readonly splits: readonly Split[]
}): JSX.Element {
  const shown = useMemo(
    () =>
      ghosts
        .map((ghost) => ({
          ...ghost,
          left: view.x(ghost.fromMs),
          end: view.x(ghost.toMs),
          y: view.y(adjusted(splits, ghost.fromMs, numberOf(ghost.price))),
        }))
        .filter(
          ({ left, end, y, toMs }) =>
            toMs >= view.fromMs && left < view.width && end > 0 && y > 0 && y < view.height,
        )
        .slice(0, GHOSTS_MAX),
    [ghosts, view, splits],
  )
  return (
    <>
      {shown.map(({ id, left, end, y, text }) => (
        <div
          key={id}
          class="ghost"
          style={{
            left: `${Math.max(left, 0)}px`,
            top: `${y}px`,
            width: `${Math.max(end - Math.max(left, 0), 8)}px`,
          }}
        >
          <Story subject={{ order: id }} hasFocus>
            <span class="wide-only">{text}</span>
          </Story>
        </div>
      ))}
    </>
  )
}
