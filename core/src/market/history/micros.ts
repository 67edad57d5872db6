import { type Instant, instantOfNanos } from '../../time.ts'

/** The market counts time in microseconds: integers that a double holds exactly until 2255. */
export const SECOND_MICROS = 1_000_000
export const MINUTE_MICROS = 60 * SECOND_MICROS

export const instantOfMicros = (micros: number): Instant => instantOfNanos(BigInt(micros) * 1000n)
/** The last whole microsecond at or before an instant. */
export const microsBefore = (at: Instant): number => Number(at >= 0n ? at / 1000n : (at - 999n) / 1000n)
export const microsAfter = (at: Instant): number => -microsBefore(instantOfNanos(-at))
