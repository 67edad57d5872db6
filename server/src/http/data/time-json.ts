import { formatInstant, type Instant } from '@quipu/core'
import { pairAnd, putAscii } from './number-json.ts'

const DAY_MICROS = 86_400_000_000
const [COLON, QUOTE, Z] = [58, 34, 90]

/** No time is longer: `"2026-11-02T14:30:00.123456789Z"`. */
export const TIME_BYTES = 32

/** The day written last: its number, and `"2026-11-02T` in words. */
let lastDay = Number.NaN
let [first, second, third] = [0, 0, 0]

/** Writes an instant from the years 0 to 9999; answers where it ends. There must be room for TIME_BYTES. */
export function putTime(view: DataView, at: number, micros: number, nanos: number): number {
  const day = Math.floor(micros / DAY_MICROS)
  const below = micros - day * DAY_MICROS
  const seconds = (below / 1e6) | 0
  if (nanos !== 0 || below !== seconds * 1e6) return putFine(view, at, micros, nanos)
  if (day !== lastDay) turnTo(day)
  const minutes = (seconds / 60) | 0
  const hour = (minutes / 60) | 0
  view.setInt32(at, first, true)
  view.setInt32(at + 4, second, true)
  view.setInt32(at + 8, third, true)
  view.setInt32(at + 12, pairAnd(hour, COLON), true)
  view.setInt32(at + 15, pairAnd(minutes - hour * 60, COLON), true)
  view.setInt32(at + 18, pairAnd(seconds - minutes * 60, Z), true)
  view.setUint8(at + 21, QUOTE)
  return at + 22
}

function turnTo(day: number): void {
  const words = new DataView(new ArrayBuffer(12))
  putAscii(words, 0, `"${formatInstant(instantOf(day * DAY_MICROS, 0)).slice(0, 11)}`)
  first = words.getInt32(0, true)
  second = words.getInt32(4, true)
  third = words.getInt32(8, true)
  lastDay = day
}

/** Times with fractions of a second are rare. */
const putFine = (view: DataView, at: number, micros: number, nanos: number): number =>
  putAscii(view, at, `"${formatInstant(instantOf(micros, nanos))}"`)

const instantOf = (micros: number, nanos: number): Instant =>
  (BigInt(micros) * 1000n + BigInt(nanos)) as Instant
