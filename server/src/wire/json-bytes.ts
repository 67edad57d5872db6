import type { Instant } from '@quipu/core'
import { formatInstant, instantOfNanos, missing } from '@quipu/core/values'

/**
 * Writes numbers into a byte buffer exactly as JSON.stringify does. One store of four bytes writes three digits; the next
 * store overwrites the fourth byte, so the buffer needs spare bytes at its end.
 */

/** The three digits of each number below 1000 as the bytes of a little-endian word, hundreds first. */
const TRIPLES = Int32Array.from({ length: 1000 }, (_, number) => {
  const [hundreds, tens, ones] = [Math.floor(number / 100), Math.floor(number / 10) % 10, number % 10]
  return 0x303030 | hundreds | (tens << 8) | (ones << 16)
})
/** The number of trailing zeros of each triple. */
const ZEROS = Uint8Array.from({ length: 1000 }, (_, number) =>
  number === 0 ? 3 : number % 100 === 0 ? 2 : number % 10 === 0 ? 1 : 0,
)
/** V8 removes the check of an index that is in range: these cost no more than an index. */
const triple = (number: number): number => TRIPLES[number] ?? missing('a triple')
const zerosOf = (number: number): number => ZEROS[number] ?? missing('a triple')
const [POINT, MINUS] = [46, 45]

/** The longest number in JSON is `-0.0000020628669257713636`; the last store may write four bytes more. */
export const NUMBER_BYTES = 25 + 4

/** Decimals of up to 15 digits are distinct doubles, so the shortest text of the double is the decimal. */
const EXACT_BELOW = 1e15
/** Whole numbers below this fit in 32 bits. */
const INTEGER_BELOW = 2 ** 31
/** Smaller numbers are written with an exponent. */
const PLAIN_FROM = 1e-6

/** Writes a number and returns its end. The buffer must have NUMBER_BYTES left. */
export function putNumber(view: DataView, at: number, value: number): number {
  if (value < 0 && value > Number.NEGATIVE_INFINITY) {
    view.setUint8(at, MINUS)
    return putPositive(view, at + 1, -value)
  }
  return putPositive(view, at, value)
}

/** Tries whole numbers, then cents, then six decimals as in averages, then the rest. */
function putPositive(view: DataView, at: number, value: number): number {
  if (value < INTEGER_BELOW && value === (value | 0)) return putInteger(view, at, value | 0)
  if (value < PLAIN_FROM || !(value < INTEGER_BELOW)) return putRare(view, at, value)
  const cents = Math.floor(value * 1e2 + 0.5)
  if (cents / 1e2 === value && cents < INTEGER_BELOW) return putCents(view, at, cents | 0)
  const millionths = Math.floor(value * 1e6 + 0.5)
  if (millionths / 1e6 === value && millionths < EXACT_BELOW) return putMillionths(view, at, millionths)
  return putRare(view, at, value)
}

function putCents(view: DataView, at: number, cents: number): number {
  const integer = (cents / 100) | 0
  const fraction = (cents - integer * 100) * 10
  const end = putInteger(view, at, integer)
  view.setInt32(end, POINT | (triple(fraction) << 8), true)
  return end + 4 - zerosOf(fraction)
}

function putMillionths(view: DataView, at: number, millionths: number): number {
  const integer = Math.floor(millionths / 1e6)
  const fraction = (millionths - integer * 1e6) | 0
  const head = (fraction / 1000) | 0
  const tail = fraction - head * 1000
  const end = putInteger(view, at, integer | 0)
  view.setUint8(end, POINT)
  view.setInt32(end + 1, triple(head), true)
  view.setInt32(end + 4, triple(tail), true)
  return end + 7 - (tail === 0 ? 3 + zerosOf(head) : zerosOf(tail))
}

/** Writes long whole numbers and coin amounts with nine decimals; String() writes the rest. */
function putRare(view: DataView, at: number, value: number): number {
  if (value < EXACT_BELOW && Number.isInteger(value)) return putLong(view, at, value)
  const billionths = Math.floor(value * 1e9 + 0.5)
  if (value < PLAIN_FROM || billionths / 1e9 !== value || !(billionths < EXACT_BELOW))
    return putAscii(view, at, Number.isFinite(value) ? String(value) : 'null')
  const integer = Math.floor(billionths / 1e9)
  const end = putInteger(view, at, integer)
  view.setUint8(end, POINT)
  let last = putNine(view, end + 1, billionths - integer * 1e9)
  while (view.getUint8(last - 1) === 48) last--
  return last
}

/** A whole number from 2³¹ to below 10¹⁵. */
function putLong(view: DataView, at: number, value: number): number {
  const head = Math.floor(value / 1e9)
  return putNine(view, putInteger(view, at, head | 0), value - head * 1e9)
}

/** A whole number from 0 to below 2³¹. */
function putInteger(view: DataView, at: number, value: number): number {
  if (value < 1000) return putHead(view, at, value)
  const head = (value / 1000) | 0
  const end = head < 1000 ? putHead(view, at, head) : putThousands(view, at, head)
  view.setInt32(end, triple(value - head * 1000), true)
  return end + 3
}

/** A whole number from 1000 to 2³¹ / 1000. */
function putThousands(view: DataView, at: number, value: number): number {
  const head = (value / 1000) | 0
  const end = head < 1000 ? putHead(view, at, head) : putHead(view, at, (head / 1000) | 0)
  if (head < 1000) {
    view.setInt32(end, triple(value - head * 1000), true)
    return end + 3
  }
  view.setInt32(end, triple(head % 1000), true)
  view.setInt32(end + 3, triple(value - head * 1000), true)
  return end + 6
}

/** Up to three digits, without leading zeros. */
function putHead(view: DataView, at: number, value: number): number {
  const digits = triple(value)
  if (value >= 100) {
    view.setInt32(at, digits, true)
    return at + 3
  }
  if (value >= 10) {
    view.setInt32(at, digits >> 8, true)
    return at + 2
  }
  view.setInt32(at, digits >> 16, true)
  return at + 1
}

/** Nine digits, with leading zeros. */
function putNine(view: DataView, at: number, value: number): number {
  const head = Math.floor(value / 1e6)
  const rest = (value - head * 1e6) | 0
  const middle = (rest / 1000) | 0
  view.setInt32(at, triple(head), true)
  view.setInt32(at + 3, triple(middle), true)
  view.setInt32(at + 6, triple(rest - middle * 1000), true)
  return at + 9
}

/** Two digits of a number below 100, then the byte, then 0, as a little-endian word. */
const pairAnd = (value: number, byte: number): number => (triple(value) >> 8) | (byte << 16)

/** Writes ASCII text and returns its end. */
export function putAscii(view: DataView, at: number, text: string): number {
  for (let index = 0; index < text.length; index++) view.setUint8(at + index, text.charCodeAt(index))
  return at + text.length
}

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
  instantOfNanos(BigInt(micros) * 1000n + BigInt(nanos))
