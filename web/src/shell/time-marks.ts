import { dayKey, dayText, minuteText, newYorkMs } from '../format/times.ts'
import type { ClockState } from '../live/clock.ts'
import type { ChartEvent } from '../parts/chart-frame.ts'
import { axisTimes } from '../parts/scale.ts'

/** The part of time that the track shows. */
export type Span = { readonly fromMs: number; readonly toMs: number }

const DAY_MS = 86_400_000

/**
 * The session of the market. While the market is closed: from the evening or the morning before, to the close of the next
 * session. A market that never closes has days.
 */
export function spanOf(state: ClockState, now: number, isAlwaysOpen: boolean): Span {
  const day = dayKey(now)
  if (isAlwaysOpen) {
    const fromMs = newYorkMs(day, '00:00')
    return { fromMs, toMs: newYorkMs(dayKey(fromMs + 1.5 * DAY_MS), '00:00') }
  }
  const toMs = state.nextCloseMs
  if (state.isOpen) return { fromMs: newYorkMs(dayKey(toMs), '09:30'), toMs }
  const morning = newYorkMs(day, '04:00')
  const evening = newYorkMs(day, '16:00')
  const fromMs = now >= evening ? evening : now >= morning ? morning : newYorkMs(day, '00:00')
  return { fromMs, toMs }
}

export const shareOf = ({ fromMs, toMs }: Span, at: number): number =>
  Math.min(Math.max((at - fromMs) / (toMs - fromMs), 0), 1)

type Tick = { readonly at: number; readonly label: string }

/** Times below the track, with room for their text. */
export function ticksOf({ fromMs, toMs }: Span, width: number): readonly Tick[] {
  const label = toMs - fromMs > 1.5 * DAY_MS ? dayText : minuteText
  const step = axisTimes(fromMs, toMs, Math.max(Math.floor(width / 110), 2))
  const pixel = (toMs - fromMs) / Math.max(width, 1)
  return [fromMs, ...step.filter((at) => at > fromMs + 40 * pixel && at < toMs - 16 * pixel)]
    .map((at) => ({
      at,
      label: label(at),
    }))
    .filter(({ label: text }, index, all) => text !== all[index - 1]?.label)
}

export type TimeMark = ChartEvent & {
  readonly isDone: boolean
  readonly isActive: boolean
  /** In pixels; absent if there is no room for the text. */
  readonly flagLeft: number | undefined
}

const LETTER_PX = 5.7
const GAP_PX = 8

/** The market events in the span. A label that would touch the one before it is left out. */
export function marksOf(events: readonly ChartEvent[], span: Span, now: number, width: number): TimeMark[] {
  let free = Number.NEGATIVE_INFINITY
  return events
    .filter(({ fromMs, toMs }) => (toMs ?? fromMs) >= span.fromMs && fromMs <= span.toMs)
    .toSorted((a, b) => a.fromMs - b.fromMs)
    .map((event, index, all) => {
      const end = event.toMs ?? event.fromMs
      const text = event.label.length * LETTER_PX
      const [left, right] = [shareOf(span, event.fromMs) * width, shareOf(span, end) * width]
      const next = all[index + 1]
      const nextLeft = next ? shareOf(span, next.fromMs) * width : Number.POSITIVE_INFINITY
      const centered = (left + right - text) / 2
      // Labels of neighbours make room for each other.
      const wanted = centered + text + GAP_PX > nextLeft ? right - text : centered
      const start = Math.max(Math.min(wanted, width - text), 0)
      // A label may begin later, as long as it is above its mark.
      const fits = start >= free ? start : free <= (left + right) / 2 ? free : undefined
      if (fits !== undefined) free = fits + text + GAP_PX
      return {
        ...event,
        isDone: now >= end,
        isActive: now >= event.fromMs && now < end,
        flagLeft: fits,
      }
    })
}
