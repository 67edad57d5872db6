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
 * Late and corrected trades. The tape always contains the correct trade. A wrong report is corrected between
 * the end of its minute and half a minute later, when the minute bar is published again.
 *   late       reported only then
 *   corrected  first reported with a wrong price
 * canceled   correct, but reported together with a wrong trade half a microsecond later, which is then
 * canceled
 */
export type Fate = {
  readonly kind: 'late' | 'corrected' | 'canceled'
  /** Time of the correction, in microseconds since 1970. */
  readonly at: number
  /** The wrong price, in ticks. */
  readonly wrong: number
}

export type Fates = (print: Print) => Fate | undefined

/** A minute bar with late trades is published again half a minute after its end. */
export const REVISED_MICROS = 30 * SECOND_MICROS
/** Time of the correction after the end of the minute: minimum and span. */
const RIGHT_MIN = SECOND_MICROS
const RIGHT_SPAN = 24 * SECOND_MICROS

/** The reporting errors of a symbol's trades; undefined without market events of that kind. */
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

/** The trades of a minute as first reported. */
export const firstTold = (prints: readonly Print[], fates: Fates): readonly Print[] =>
  prints.flatMap((print) => {
    const found = fates(print)
    if (!found) return [print]
    if (found.kind === 'late') return []
    const wrong = { ...print, price: found.wrong }
    return found.kind === 'corrected' ? [wrong] : [print, wrong]
  })

/** The tape as known at a time: the last finished minute may still contain wrong reports. */
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
