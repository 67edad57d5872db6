import { formatInstant, type Instant } from '@quipu/core'
import { pairAnd, putAscii } from './number-json.ts'

const DAY_MICROS = 86_400_000_000
const [COLON, QUOTE, Z] = [58, 34, 90]

/** The longest time is `"2026-11-02T14:30:00.123456789Z"`. */
export const TIME_BYTES = 32

/** A cache of days: the day number, and `"2026-11-02T` in three words. Eleven years fit without collisions. */
const DAYS = 4096
const cachedDays = new Float64Array(DAYS).fill(Number.NaN)
const words = new DataView(new ArrayBuffer(DAYS * 12))

/** Writes an instant of the years 0 to 9999 and returns its end. The buffer must have TIME_BYTES left. */
export function putTime(view: DataView, at: number, micros: number, nanos: number): number {
  const day = Math.floor(micros / DAY_MICROS)
  const below = micros - day * DAY_MICROS
  const seconds = (below / 1e6) | 0
  if (nanos !== 0 || below !== seconds * 1e6) return putFraction(view, at, micros, nanos)
  const slot = day & (DAYS - 1)
  if (cachedDays[slot] !== day) cacheDay(day, slot)
  const minutes = (seconds / 60) | 0
  const hour = (minutes / 60) | 0
  view.setInt32(at, words.getInt32(slot * 12, true), true)
  view.setInt32(at + 4, words.getInt32(slot * 12 + 4, true), true)
  view.setInt32(at + 8, words.getInt32(slot * 12 + 8, true), true)
  view.setInt32(at + 12, pairAnd(hour, COLON), true)
  view.setInt32(at + 15, pairAnd(minutes - hour * 60, COLON), true)
  view.setInt32(at + 18, pairAnd(seconds - minutes * 60, Z), true)
  view.setUint8(at + 21, QUOTE)
  return at + 22
}

function cacheDay(day: number, slot: number): void {
  putAscii(words, slot * 12, `"${formatInstant(instantOf(day * DAY_MICROS, 0)).slice(0, 11)}`)
  cachedDays[slot] = day
}

/** Times with fractions of a second are rare. */
const putFraction = (view: DataView, at: number, micros: number, nanos: number): number =>
  putAscii(view, at, `"${formatInstant(instantOf(micros, nanos))}"`)

const instantOf = (micros: number, nanos: number): Instant =>
  (BigInt(micros) * 1000n + BigInt(nanos)) as Instant
