import { TAPE_END_DAY } from './kernel/segments.ts'
import type { Tape } from './kernel/tape.ts'
import type { Range } from './kernel/tree.ts'
import { MINUTE_MICROS } from './micros.ts'
import { join, quietAt, type Span } from './span.ts'
import { midnightIn } from './zone.ts'

/**
 * Where a tape never rests, a minute without trades is a bar too: the middle of the quote, which is the price of the
 * last trade, and no volume. The stretches below are those of such a tape.
 */
export const neverRests = (tape: Tape): boolean => tape.zone === 'utc'

const END = midnightIn('utc', TAPE_END_DAY)

/** Visits every minute of `[from, to)`, both whole minutes, until `visit` answers false. */
export function eachMinuteOf(
  tape: Tape,
  { from, to, backwards }: Range,
  visit: (start: number, span: Span) => boolean,
): void {
  const [first, last] = [Math.max(0, from), Math.min(to, END) - MINUTE_MICROS]
  const step = backwards ? -MINUTE_MICROS : MINUTE_MICROS
  let expected = backwards ? last : first
  let price = backwards ? undefined : tape.last(first - 1)?.price
  let goesOn = true
  const fillUpTo = (end: number, at: number | undefined): void => {
    for (; goesOn && at !== undefined && expected !== end; expected += step)
      goesOn = visit(expected, quietAt(at, expected))
  }
  tape.minutes({ from: first, to: last + MINUTE_MICROS, backwards }, (start, span) => {
    fillUpTo(start, backwards ? span.close : price)
    expected = start + step
    price = span.close
    goesOn = goesOn && visit(start, span)
    return goesOn
  })
  if (first > last) return
  fillUpTo(backwards ? first + step : last + step, backwards ? tape.last(first - 1)?.price : price)
}

/** What came of `[from, to)`, beginning with the price that stood when it began. */
export function withQuiet<Part extends Span>(
  tape: Tape,
  from: number,
  to: number,
  span: Part | undefined,
): Span | undefined {
  if (from >= to || from >= END) return undefined
  if (span && tape.fold(from, Math.min(to, from + MINUTE_MICROS))) return span
  const price = tape.last(from - 1)?.price
  return price === undefined ? span : join(quietAt(price, from), span)
}
