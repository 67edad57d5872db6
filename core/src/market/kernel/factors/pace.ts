import { tradingDaysBefore } from '../../calendar.ts'
import type { Zone } from '../../zone.ts'
import type { Pace } from '../profile.ts'
import { roundTheClock, type Segment, segmentsOf } from '../segments.ts'

/** How a tape goes through the year. Its days are counted by an index without gaps. */
export type Course = {
  readonly zone: Zone
  /** Trading days of a year. */
  readonly year: number
  /** How much its market as a whole moves in a year. */
  readonly marketVolatility: number
  /** The index of a day since 1970-01-01, or of the first trading day after it. */
  index(day: number): number
  segments(day: number): readonly Segment[]
}

export const COURSES: Record<Pace, Course> = {
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

export const courseOf = ({ pace = 'newYork' }: { readonly pace?: Pace }): Course => COURSES[pace]
