import { dayOfParts } from '../../civil-date.ts'
import type { Hours } from '../../world.ts'
import {
  closeMinute,
  isTradingDay,
  LAST_YEAR,
  OPEN_MINUTE,
  PRE_OPEN_MINUTE,
  postCloseMinute,
} from '../calendar.ts'
import { midnightIn, minuteIn } from '../history/zone.ts'

/**
 * The segments of a New York date: five on a trading day, in this order, or one on a closed day. A day of an
 * around-the-clock tape is one segment.
 */
export type SegmentKind = 'early' | 'pre' | 'regular' | 'post' | 'late' | 'closed' | 'round'

export type Segment = {
  readonly kind: SegmentKind
  /** Days since 1970-01-01. */
  readonly day: number
  /** Index in the date. */
  readonly index: number
  /** Microseconds since 1970, end exclusive; both whole minutes. */
  readonly from: number
  readonly to: number
}

const IN_SESSION: ReadonlySet<SegmentKind> = new Set(['pre', 'regular', 'post', 'round'])

export const isShown = (kind: SegmentKind, hours: Hours): boolean =>
  hours === 'always' || IN_SESSION.has(kind)

/**
 * Segments that count in a day bar; overnight trades and trades on closed dates appear only in minute and
 * hour bars.
 */
export const isDaily = (kind: SegmentKind): boolean => IN_SESSION.has(kind)

/** The tape starts in 1970 and ends before the calendar. */
export const TAPE_END_DAY = dayOfParts(LAST_YEAR + 5, 1, 1)

export function segmentsOf(day: number): readonly Segment[] {
  if (day < 0 || day >= TAPE_END_DAY) return []
  if (!isTradingDay(day)) return cut(day, ['closed'], [0, 1440])
  return cut(
    day,
    ['early', 'pre', 'regular', 'post', 'late'],
    [0, PRE_OPEN_MINUTE, OPEN_MINUTE, closeMinute(day), postCloseMinute(day), 1440],
  )
}

/** One segment per UTC day. */
export function roundTheClock(day: number): readonly Segment[] {
  if (day < 0 || day >= TAPE_END_DAY) return []
  return [{ kind: 'round', day, index: 0, from: midnightIn('utc', day), to: midnightIn('utc', day + 1) }]
}

/** Segments that determine the prices of a day bar. */
export const isPriced = (kind: SegmentKind): boolean => kind === 'regular' || kind === 'round'

function cut(day: number, kinds: readonly SegmentKind[], minutes: readonly number[]): Segment[] {
  const edges = minutes.map((minute) =>
    // Midnight belongs to the next date: on a day of 23 or 25 hours, minute 1440 is wrong.
    minute === 1440 ? midnightIn('newYork', day + 1) : minuteIn('newYork', day, minute),
  )
  return kinds.map((kind, index) => ({ kind, day, index, from: edges[index]!, to: edges[index + 1]! }))
}

/**
 * Cumulative share of a segment's trades by relative time, both from 0 to 1. The regular session is busy at
 * both ends, the pre-market grows towards the open, the after-market fades, and nights are uniform.
 */
export function shareBy(kind: SegmentKind, part: number): number {
  switch (kind) {
    case 'regular': {
      const side = 2 * part - 1
      const fourth = side * side * side * side
      return 0.45 * part + 0.25 * ((side * side * side + 1) / 2) + 0.3 * ((side * fourth + 1) / 2)
    }
    case 'pre':
      return 0.25 * part + 0.75 * part * part
    case 'post':
      return part * (1.8 - 0.8 * part)
    case 'early':
    case 'late':
    case 'closed':
    case 'round':
      return part
  }
}
