import { tradingDaysBefore } from '../../calendar.ts'
import type { Zone } from '../../history/zone.ts'
import type { Pace } from '../profile.ts'
import { roundTheClock, type Segment, segmentsOf } from '../segments.ts'

/** The time structure of a tape. Days are counted by an index without gaps. */
export type TapeCalendar = {
  readonly zone: Zone
  /** Trading days per year. */
  readonly year: number
  /** Yearly volatility of the whole market. */
  readonly marketVolatility: number
  /** Index of a day since 1970-01-01, or of the next trading day. */
  index(day: number): number
  segments(day: number): readonly Segment[]
}

export const TAPE_CALENDARS: Record<Pace, TapeCalendar> = {
  newYork: {
    zone: 'newYork',
    year: 252,
    marketVolatility: 0.16,
    index: tradingDaysBefore,
    segments: segmentsOf,
  },
  roundTheClock: {
    zone: 'utc',
    year: 365,
    marketVolatility: 0.45,
    index: (day) => day,
    segments: roundTheClock,
  },
}

export const tapeCalendarOf = ({ pace = 'newYork' }: { readonly pace?: Pace }): TapeCalendar =>
  TAPE_CALENDARS[pace]
