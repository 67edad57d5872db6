import type { Moment } from '@quipu/contract'
import { addDays, type CivilDate, fromNewYork, type Instant } from '@quipu/core'

/** No book and no tape reaches beyond these; what callers name outside of them means the nearer one. */
const FIRST = 0n as Instant
const LAST = 7_258_118_400_000_000_000n as Instant

const within = (at: bigint): Instant => (at < FIRST ? FIRST : at > LAST ? LAST : at) as Instant

/** An instant a caller named; a bare date is its midnight in UTC. */
export const instantOf = ({ nanos }: Moment): Instant => within(nanos)

/** Of a range of market data: a bare date is a day in New York, where it begins and where it ends. */
export const startOf = ({ nanos, date }: Moment): Instant =>
  within(date === undefined ? nanos : dayStart(date as CivilDate))
export const endOf = ({ nanos, date }: Moment): Instant =>
  within(date === undefined ? nanos : dayStart(addDays(date as CivilDate, 1)) - 1n)

const dayStart = (date: CivilDate): Instant => fromNewYork(date, 0)
