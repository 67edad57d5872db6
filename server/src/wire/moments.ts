import type { Moment } from '@quipu/contract'
import {
  addDays,
  type CivilDate,
  DAY,
  dayOf,
  fromNewYork,
  type Instant,
  newYork,
  type Zone,
} from '@quipu/core'

/** The range of valid times; times outside it are replaced by the nearer bound. */
const FIRST = 0n as Instant
const LAST = 7_258_118_400_000_000_000n as Instant

const within = (at: bigint): Instant => (at < FIRST ? FIRST : at > LAST ? LAST : at) as Instant

/** The instant of a parameter; a bare date is its midnight in UTC. */
export const instantOf = ({ nanos }: Moment): Instant => within(nanos)

/** The start and the end of a range; a bare date is a day in the zone. */
export const startOf = ({ nanos, date }: Moment, zone: Zone = 'newYork'): Instant =>
  within(date === undefined ? nanos : dayStart(date as CivilDate, zone))
export const endOf = ({ nanos, date }: Moment, zone: Zone = 'newYork'): Instant =>
  within(date === undefined ? nanos : dayStart(addDays(date as CivilDate, 1), zone) - 1n)

/** The start of the day of an instant. */
export const dayStartAt = (at: Instant, zone: Zone): Instant =>
  zone === 'utc' ? ((at - (at % DAY)) as Instant) : fromNewYork(newYork(at).date, 0)

const dayStart = (date: CivilDate, zone: Zone): Instant =>
  zone === 'utc' ? ((BigInt(dayOf(date)) * DAY) as Instant) : fromNewYork(date, 0)
