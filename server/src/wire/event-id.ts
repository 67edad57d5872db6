import type { Instant } from '@quipu/core'

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_DIGITS = 10
const NUMBER_DIGITS = 16

/**
 * A ULID made of what is known of an event: its millisecond, then its journal number. Ids sort as their events do,
 * and the same event always has the same one.
 */
export function eventId(at: Instant, seq: number): string {
  const block = Math.floor(seq / BLOCK)
  if (at !== last.at || block !== last.block) last = { at, block, text: digitsOf(at, block) }
  const rest = seq - block * BLOCK
  return last.text + DIGITS[rest >> 5]! + DIGITS[rest & 31]!
}

/** What happens in one moment has its time, and its numbers differ in the last two digits. */
const BLOCK = 32 ** 2
let last = { at: -1n as Instant, block: -1, text: '' }

const digitsOf = (at: Instant, block: number): string =>
  digits(Number(at / 1_000_000n), TIME_DIGITS) + digits(block, NUMBER_DIGITS - 2)

function digits(value: number, width: number): string {
  let text = ''
  for (let rest = value; rest > 0; rest = Math.floor(rest / 32)) text = DIGITS[rest % 32] + text
  return text.padStart(width, '0')
}

/** Several things may come of one event: so many at most. */
export const PARTS = 256

/** The same for one thing of several that come of an event. */
export const partId = (at: Instant, seq: number, n: number): string => eventId(at, seq * PARTS + n)

/** The millisecond in which an id says it was made. */
export function timeOfId(id: string): Instant {
  let ms = 0
  for (const digit of id.slice(0, TIME_DIGITS)) ms = ms * 32 + DIGITS.indexOf(digit)
  return (BigInt(ms) * 1_000_000n) as Instant
}
