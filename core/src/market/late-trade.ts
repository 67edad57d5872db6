import type { Ticker } from '../ids.ts'
import { keyOf, mix, uniform } from './kernel/dice.ts'
import { stretchOf } from './kernel/factors/market-events.ts'
import { COURSES } from './kernel/factors/pace.ts'
import { foldList, overlay } from './kernel/overlay.ts'
import type { Print } from './kernel/quotes.ts'
import type { Tape } from './kernel/tape.ts'
import { concerns, type MarketEvent } from './market-event.ts'
import { MINUTE_MICROS, SECOND_MICROS } from './micros.ts'
import type { Span } from './span.ts'

/**
 * How a trade came to be known, if not at once and right. What is right stands on the tape for ever; what was told
 * before is put right between the end of its minute and the half minute after it, when the minute is told again.
 *   late       it is reported only then
 *   corrected  it was told at once with a wrong price
 *   canceled   it was right, but another was told with it, half a microsecond later, that had never been made
 */
export type Fate = {
  readonly kind: 'late' | 'corrected' | 'canceled'
  /** When it is put right, in microseconds since 1970. */
  readonly at: number
  /** The price, in ticks, that was told wrongly. */
  readonly wrong: number
}

export type Fates = (print: Print) => Fate | undefined

/** A minute is told again half a minute after its end, if a trade of it became known late. */
export const REVISED_MICROS = 30 * SECOND_MICROS
/** When a trade is put right: so much after the end of its minute, at least and at most. */
const RIGHT_MIN = SECOND_MICROS
const RIGHT_SPAN = 24 * SECOND_MICROS

/** What becomes of the trades of a symbol; nothing where no market event changes them. */
export function fatesOf(
  marketEvents: readonly MarketEvent[],
  seed: string,
  symbol: Ticker,
): Fates | undefined {
  const spells = marketEvents.flatMap((each) =>
    (each.kind === 'late' || each.kind === 'mistakes') && concerns(each, symbol)
      ? [{ kind: each.kind, share: each.share, ...stretchOf(each) }]
      : [],
  )
  if (spells.length === 0) return undefined
  const key = mix(mix(keyOf(seed), keyOf(symbol)), 91)
  return (print) => {
    const dice = mix(mix(key, print.segment.day), print.number * 8 + print.segment.place)
    for (const [index, { kind, share, from, to }] of spells.entries()) {
      if (print.at < from || print.at >= to || uniform(dice, 10 + index) >= share) continue
      return fate(kind === 'late' ? 'late' : uniform(dice, 1) < 0.5 ? 'corrected' : 'canceled', print, dice)
    }
    return undefined
  }
}

function fate(kind: Fate['kind'], print: Print, dice: number): Fate {
  const end = minuteEnd(print.at)
  const away = Math.max(1, Math.ceil(print.price * 0.002 * (0.5 + uniform(dice, 2))))
  return {
    kind,
    at: end + RIGHT_MIN + Math.floor(RIGHT_SPAN * uniform(dice, 3)),
    wrong: uniform(dice, 4) < 0.5 ? print.price + away : Math.max(1, print.price - away),
  }
}

const minuteEnd = (at: number): number => (Math.floor(at / MINUTE_MICROS) + 1) * MINUTE_MICROS

/** The trades of a minute as they were first told. */
export const firstTold = (prints: readonly Print[], fates: Fates): readonly Print[] =>
  prints.flatMap((print) => {
    const found = fates(print)
    if (!found) return [print]
    if (found.kind === 'late') return []
    const wrong = { ...print, price: found.wrong }
    return found.kind === 'corrected' ? [wrong] : [print, wrong]
  })

/** The tape as it is known at a time: the last finished minute may have been told otherwise than it will be. */
export function asKnownAt(tape: Tape, fates: Fates, now: number): Tape {
  const end = Math.floor(now / MINUTE_MICROS) * MINUTE_MICROS
  if (now >= end + REVISED_MICROS) return tape
  const from = end - MINUTE_MICROS
  const prints = tape.prints(from, end - 1, Number.POSITIVE_INFINITY)
  if (!prints.some((print) => fates(print))) return tape
  const span: Span | undefined = foldList(firstTold(prints, fates))
  const course = COURSES[tape.zone === 'utc' ? 'roundTheClock' : 'newYork']
  return overlay(tape, course, [{ from, to: end, said: { span } }])
}
