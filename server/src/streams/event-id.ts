import type { Instant } from '@quipu/core'

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_DIGITS = 10
const NUMBER_DIGITS = 16

/**
 * A ULID made of what is known of an event: its millisecond, then its journal number. Ids sort as their events do,
 * and the same event always has the same one.
 */
export const eventId = (at: Instant, seq: number): string =>
  digits(Number(at / 1_000_000n), TIME_DIGITS) + digits(seq, NUMBER_DIGITS)

function digits(value: number, width: number): string {
  let text = ''
  for (let rest = value; text.length < width; rest = Math.floor(rest / 32)) text = DIGITS[rest % 32] + text
  return text
}
