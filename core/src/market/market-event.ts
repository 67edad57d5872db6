import { type CivilDate, dayOf } from '../civil-date.ts'
import type { Ticker } from '../ids.ts'
import { fail, ok, type Result } from '../result.ts'
import {
  boolean,
  date,
  id,
  instant,
  integer,
  number,
  oneOf,
  optional,
  type RecordOf,
  union,
  type ValueOf,
} from '../schema.ts'
import { EPOCH, fromNewYork, type Instant, instantOfNanos, later, MINUTE } from '../time.ts'
import { leadersOf } from './assets/followers.ts'
import { isMarketOpen, isTradingDay, nextCloseAfter, previousSession, session } from './calendar.ts'

/** Reason of a halt; each tape has its own codes. */
const haltReasonSchema = oneOf(
  'newsPending',
  'newsReleased',
  'operational',
  'circuitBreaker1',
  'circuitBreaker2',
  'circuitBreaker3',
)
export type HaltReason = ValueOf<typeof haltReasonSchema>

/** An absent bound is open. */
const bounds = { from: optional(instant<Instant>()), to: optional(instant<Instant>()) }
type Stretch = RecordOf<typeof bounds>

const ofSymbol = { symbol: optional(id<Ticker>()) }
const ofShare = { ...ofSymbol, share: number(), ...bounds }

/**
 * An event that changes a generated market. Shares run from 0 to 1, instants are inclusive at the start and
 * exclusive at the end. Without a symbol it affects every stock.
 *   halt      trading stops
 *   pause     the price leaves its band (limit up, limit down); trading stops for some minutes
 *   crash     the price falls by `depth` within minutes, and recovers or does not
 *   gap       a session opens some percent away from its normal price
 *   thin      spreads are wider by a factor, and sizes smaller
 *   missing   a share of the minutes has no trades and no new quotes
 *   late      a share of the trades is reported only after their minute bar
 *   mistakes  a share of the trades is first reported with a wrong price, or reported and canceled
 */
export const marketEventSchema = union('kind', {
  halt: {
    symbol: id<Ticker>(),
    from: instant<Instant>(),
    to: instant<Instant>(),
    reason: haltReasonSchema,
  },
  pause: {
    symbol: id<Ticker>(),
    at: instant<Instant>(),
    minutes: integer(),
    /** The limit that was reached, and the distance of both limits from the middle of the band. */
    limit: oneOf('up', 'down'),
    percent: number(),
  },
  crash: {
    ...ofSymbol,
    at: instant<Instant>(),
    /** Fraction of the price. */
    depth: number(),
    minutes: integer(),
    recovers: boolean(),
  },
  gap: { ...ofSymbol, on: date<CivilDate>(), percent: number() },
  thin: { ...ofSymbol, times: number(), ...bounds },
  missing: ofShare,
  late: ofShare,
  mistakes: ofShare,
})
export type MarketEvent = ValueOf<typeof marketEventSchema>

export type MarketEventFault = { readonly field: string; readonly rule: string }

/** Validates an event: returns the first invalid field and its rule. */
export function checkMarketEvent(event: MarketEvent): Result<MarketEvent, MarketEventFault> {
  const fault = faultOf(event)
  return fault ? fail(fault) : ok(event)
}

function faultOf(event: MarketEvent): MarketEventFault | undefined {
  switch (event.kind) {
    case 'halt':
      return orderFault(event)
    case 'pause':
      return rangeFault('minutes', event.minutes, 1, 120) ?? rangeFault('percent', event.percent, 1, 50)
    case 'crash':
      return (
        rangeFault('depth', event.depth, 0.01, 0.9) ??
        rangeFault('minutes', event.minutes, 1, 120) ??
        (isCrypto(event.symbol) || isMarketOpen(event.at)
          ? undefined
          : { field: 'at', rule: 'must be in a regular session' })
      )
    case 'gap':
      return (
        rangeFault('percent', event.percent, -90, 400) ??
        (isCrypto(event.symbol) || isTradingDay(dayOf(event.on))
          ? undefined
          : { field: 'on', rule: 'must be a trading day' })
      )
    case 'thin':
      return rangeFault('times', event.times, 1, 100) ?? orderFault(event)
    case 'missing':
    case 'late':
    case 'mistakes':
      return rangeFault('share', event.share, 0, 0.9) ?? orderFault(event)
  }
}

const isCrypto = (symbol: Ticker | undefined): boolean => symbol?.includes('/') ?? false

function rangeFault(field: string, value: number, min: number, max: number): MarketEventFault | undefined {
  return value >= min && value <= max ? undefined : { field, rule: `must be from ${min} to ${max}` }
}

const orderFault = ({ from, to }: Stretch): MarketEventFault | undefined =>
  from !== undefined && to !== undefined && from >= to
    ? { field: 'to', rule: 'must be after from' }
    : undefined

/** The first instant at which the tape changes; earlier data stays unchanged. */
export function marketEventBegins(event: MarketEvent): Instant {
  switch (event.kind) {
    case 'pause':
    case 'crash':
      return event.at
    case 'gap':
      // The price moves to the gap between the previous close and the open.
      return isCrypto(event.symbol)
        ? instantOfNanos(BigInt(dayOf(event.on)) * 86_400_000_000_000n)
        : (previousSession(event.on)?.close ?? fromNewYork(event.on, 0))
    case 'halt':
    case 'thin':
    case 'missing':
    case 'late':
    case 'mistakes':
      return event.from ?? EPOCH
  }
}

/** The first instant after the event; undefined if it has no end. A fall without recovery ends at its lowest level. */
export function marketEventEnds(event: MarketEvent): Instant | undefined {
  switch (event.kind) {
    // The closing auction ends a pause.
    case 'pause':
    case 'crash': {
      const end = minutesAfter(event.at, event.minutes)
      const close = nextCloseAfter(event.at)
      return isCrypto(event.symbol) || end < close ? end : close
    }
    case 'gap':
      return (isCrypto(event.symbol) ? undefined : session(event.on)?.open) ?? marketEventBegins(event)
    case 'halt':
    case 'thin':
    case 'missing':
    case 'late':
    case 'mistakes':
      return event.to
  }
}

const minutesAfter = (at: Instant, minutes: number): Instant => later(at, BigInt(minutes) * MINUTE)

export type MarketEventStatus = 'pending' | 'active' | 'done'

/** Whether an event has begun and ended at an instant. */
export function marketEventStatus(event: MarketEvent, now: Instant): MarketEventStatus {
  if (now < marketEventBegins(event)) return 'pending'
  const end = marketEventEnds(event)
  return end !== undefined && now >= end ? 'done' : 'active'
}

/** A market event of a world and its number, from 1: first the events of the settings, then the added ones. */
export type NumberedMarketEvent = { readonly number: number; readonly event: MarketEvent }

/** The market events of a world without the removed ones. */
export const remainingMarketEvents = (
  planned: readonly MarketEvent[] | undefined,
  added: {
    readonly marketEvents: readonly MarketEvent[]
    readonly removedMarketEvents?: ReadonlySet<number>
  },
): readonly NumberedMarketEvent[] =>
  [...(planned ?? []), ...added.marketEvents]
    .map((event, index) => ({ number: index + 1, event }))
    .filter(({ number }) => !added.removedMarketEvents?.has(number))

/** Market events under the first names of their symbols: tapes, followers and halts compare with those. */
export const underFirstNames = <Event extends MarketEvent>(
  events: readonly Event[],
  originOf: (symbol: Ticker) => Ticker | undefined,
): readonly Event[] =>
  events.map((event) => {
    const origin = event.symbol && originOf(event.symbol)
    return origin === undefined ? event : { ...event, symbol: origin }
  })

/**
 * Whether an event applies to a symbol, by first names. Price changes and halts also apply to followers: a fund falls with
 * its index, and a second share class is halted with the first.
 */
export function concerns(event: MarketEvent, symbol: Ticker, leaders = leadersOf(symbol)): boolean {
  if (event.symbol === undefined) return !isCrypto(symbol)
  return event.symbol === symbol || (isOfPrice(event) && leaders.includes(event.symbol))
}

const isOfPrice = ({ kind }: MarketEvent): boolean =>
  kind === 'crash' || kind === 'gap' || kind === 'halt' || kind === 'pause'
