import type { Instant } from '@quipu/core'
import { EPOCH, earlier, instantOfMs } from '@quipu/core/values'

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_DIGITS = 10
const NUMBER_DIGITS = 16

/**
 * A ULID from the millisecond and the journal number of an event. Ids sort like their events, and the same event
 * always has the same id.
 */
export function eventId(at: Instant, seq: number): string {
  const block = Math.floor(seq / BLOCK)
  if (at !== last.at || block !== last.block) last = { at, block, text: digitsOf(at, block) }
  const rest = seq - block * BLOCK
  return last.text + DIGITS[rest >> 5]! + DIGITS[rest & 31]!
}

/** Events of one instant usually differ only in the last two digits, so the rest of the id is cached. */
const BLOCK = 32 ** 2
let last = { at: earlier(EPOCH, 1n), block: -1, text: '' }

const digitsOf = (at: Instant, block: number): string =>
  digits(Number(at / 1_000_000n), TIME_DIGITS) + digits(block, NUMBER_DIGITS - 2)

function digits(value: number, width: number): string {
  let text = ''
  for (let rest = value; rest > 0; rest = Math.floor(rest / 32)) text = DIGITS[rest % 32] + text
  return text.padStart(width, '0')
}

/** One event has at most this many updates. */
export const PARTS = 256

/** The id of the n-th update of an event. */
export const partId = (at: Instant, seq: number, n: number): string => eventId(at, seq * PARTS + n)

/** The journal number that the id of an update contains. */
export function numberOfId(id: string): number {
  let number = 0
  for (const digit of id.slice(TIME_DIGITS)) number = number * 32 + DIGITS.indexOf(digit)
  return number
}

/** The millisecond that an id contains. */
export function timeOfId(id: string): Instant {
  let ms = 0
  for (const digit of id.slice(0, TIME_DIGITS)) ms = ms * 32 + DIGITS.indexOf(digit)
  return instantOfMs(ms)
}
