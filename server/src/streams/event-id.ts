import type { Instant } from '@quipu/core'

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_DIGITS = 10
const NUMBER_DIGITS = 16

/**
 * A ULID made of what is known of an event: its millisecond, then its journal number. Ids sort as their events do,
 * and the same event always has the same one.
 */
export function eventId(at: Instant, seq: number): string {
  if (at !== last.at) last = { at, text: digits(Number(at / 1_000_000n), TIME_DIGITS) }
  return last.text + digits(seq, NUMBER_DIGITS)
}

/** What happens in one moment has its time. */
let last = { at: -1n as Instant, text: '' }

function digits(value: number, width: number): string {
  let text = ''
  for (let rest = value; rest > 0; rest = Math.floor(rest / 32)) text = DIGITS[rest % 32] + text
  return text.padStart(width, '0')
}

/** Several things may come of one event: so many at most. */
const PARTS = 256

/** The same for one thing of several that come of an event. */
export const partId = (at: Instant, seq: number, n: number): string => eventId(at, seq * PARTS + n)

/** The millisecond in which an id says it was made. */
export function timeOfId(id: string): Instant {
  let ms = 0
  for (const digit of id.slice(0, TIME_DIGITS)) ms = ms * 32 + DIGITS.indexOf(digit)
  return (BigInt(ms) * 1_000_000n) as Instant
}
