import type { Ticker } from '../../ids.ts'
import { stretchOf } from '../kernel/factors/market-events.ts'
import { TAPE_CALENDARS } from '../kernel/factors/pace.ts'
import { foldList, overlay } from '../kernel/overlay.ts'
import type { Print } from '../kernel/quotes.ts'
import { keyOf, mix, uniform } from '../kernel/random.ts'
import type { Tape } from '../kernel/tape.ts'
import { concerns, type MarketEvent } from '../market-event.ts'
import { MINUTE_MICROS, SECOND_MICROS } from './micros.ts'
import type { Span } from './span.ts'

/**
 * Late and corrected trades. The tape always contains the correct trade. A wrong report is corrected between
 * the end of its minute and half a minute later, when the minute bar is published again.
 *   late       reported only then
 *   corrected  first reported with a wrong price
 *   canceled   correct, but reported together with a wrong trade half a microsecond later, which is then
 *              canceled
 */
export type ReportingError = {
  readonly kind: 'late' | 'corrected' | 'canceled'
  /** Time of the correction, in microseconds since 1970. */
  readonly at: number
  /** The wrong price, in ticks. */
  readonly wrong: number
}

export type ReportingErrors = (print: Print) => ReportingError | undefined

/** A minute bar with late trades is published again half a minute after its end. */
export const REVISED_MICROS = 30 * SECOND_MICROS
/** Time of the correction after the end of the minute: minimum and span. */
const CORRECTION_MIN = SECOND_MICROS
const CORRECTION_SPAN = 24 * SECOND_MICROS

/** The reporting errors of a symbol's trades; undefined without market events of that kind. */
export function reportingErrorsOf(
  marketEvents: readonly MarketEvent[],
  seed: string,
  symbol: Ticker,
): ReportingErrors | undefined {
  const periods = marketEvents.flatMap((each) =>
    (each.kind === 'late' || each.kind === 'mistakes') && concerns(each, symbol)
      ? [{ kind: each.kind, share: each.share, ...stretchOf(each) }]
      : [],
  )
  if (periods.length === 0) return undefined
  const key = mix(mix(keyOf(seed), keyOf(symbol)), 91)
  return (print) => {
    const tradeKey = mix(mix(key, print.segment.day), print.number * 8 + print.segment.index)
    for (const [index, { kind, share, from, to }] of periods.entries()) {
      if (print.at < from || print.at >= to || uniform(tradeKey, 10 + index) >= share) continue
      return reportingErrorOf(
        kind === 'late' ? 'late' : uniform(tradeKey, 1) < 0.5 ? 'corrected' : 'canceled',
        print,
        tradeKey,
      )
    }
    return undefined
  }
}

function reportingErrorOf(kind: ReportingError['kind'], print: Print, tradeKey: number): ReportingError {
  const end = minuteEnd(print.at)
  const away = Math.max(1, Math.ceil(print.price * 0.002 * (0.5 + uniform(tradeKey, 2))))
  return {
    kind,
    at: end + CORRECTION_MIN + Math.floor(CORRECTION_SPAN * uniform(tradeKey, 3)),
    wrong: uniform(tradeKey, 4) < 0.5 ? print.price + away : Math.max(1, print.price - away),
  }
}

const minuteEnd = (at: number): number => (Math.floor(at / MINUTE_MICROS) + 1) * MINUTE_MICROS

/** The trades of a minute as first reported. */
export const firstReported = (prints: readonly Print[], reportingErrors: ReportingErrors): readonly Print[] =>
  prints.flatMap((print) => {
    const found = reportingErrors(print)
    if (!found) return [print]
    if (found.kind === 'late') return []
    const wrong = { ...print, price: found.wrong }
    return found.kind === 'corrected' ? [wrong] : [print, wrong]
  })

/** The tape as known at a time: the last finished minute may still contain wrong reports. */
export function asKnownAt(tape: Tape, reportingErrors: ReportingErrors, now: number): Tape {
  const end = Math.floor(now / MINUTE_MICROS) * MINUTE_MICROS
  if (now >= end + REVISED_MICROS) return tape
  const from = end - MINUTE_MICROS
  const prints = tape.prints(from, end - 1, Number.POSITIVE_INFINITY)
  if (!prints.some((print) => reportingErrors(print))) return tape
  const span: Span | undefined = foldList(firstReported(prints, reportingErrors))
  const calendar = TAPE_CALENDARS[tape.zone === 'utc' ? 'roundTheClock' : 'newYork']
  return overlay(tape, calendar, [{ from, to: end, replacement: { span } }])
}
