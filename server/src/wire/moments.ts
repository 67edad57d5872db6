import type { MomentText } from '@quipu/contract'
import {
  addDays,
  type CivilDate,
  DAY,
  dayOf,
  EPOCH,
  earlier,
  fromNewYork,
  type Instant,
  instantOfNanos,
  max,
  min,
  newYork,
  type Zone,
} from '@quipu/core'

/** The range of valid times; times outside it are replaced by the nearer bound. */
const FIRST = EPOCH
const LAST = instantOfNanos(7_258_118_400_000_000_000n)

const within = (at: bigint): Instant => max(FIRST, min(LAST, instantOfNanos(at)))

/** The instant of a parameter; a bare date is its midnight in UTC. */
export const instantOf = ({ nanos }: MomentText): Instant => within(nanos)

/** The start and the end of a range; a bare date is a day in the zone. */
export const startOf = ({ nanos, date }: MomentText, zone: Zone = 'newYork'): Instant =>
  within(date === undefined ? nanos : dayStart(date, zone))
export const endOf = ({ nanos, date }: MomentText, zone: Zone = 'newYork'): Instant =>
  within(date === undefined ? nanos : dayStart(addDays(date, 1), zone) - 1n)

/** When the day that contains an instant began. */
export const dayStartAt = (at: Instant, zone: Zone): Instant =>
  zone === 'utc' ? earlier(at, at % DAY) : fromNewYork(newYork(at).date, 0)

const dayStart = (date: CivilDate, zone: Zone): Instant =>
  zone === 'utc' ? instantOfNanos(BigInt(dayOf(date)) * DAY) : fromNewYork(date, 0)
