import { type CivilDate, dayOf } from '../civil-date.ts'
import type { Ticker } from '../ids.ts'
import { isPair } from '../market/assets/asset.ts'
import { type MarketSession, nextSession, session } from '../market/calendar.ts'
import {
  earlier,
  fromNewYork,
  type Instant,
  instantOfSeconds,
  later,
  MINUTE,
  newYorkDate,
  newYorkSeconds,
} from '../time.ts'
import type { WorldSettings } from '../world.ts'
import type { TimeInForce } from './kinds.ts'
import { type BookClass, classOf } from './matching/book.ts'

/**
 * Trading hours of orders. In `nyse` hours, plain orders trade in the regular session, and extended orders
 * from the pre-market to the after-market; later orders wait for the next pre-market. In `always` hours every
 * order trades at any time, but still expires by New York time. Crypto pairs always trade.
 */
export function tradesAt(settings: WorldSettings, kind: BookClass, at: Instant): boolean {
  if (settings.hours === 'always' || kind === 'pair') return true
  const today = session(newYorkDate(at))
  if (!today) return false
  const [from, to] = spanOf(today, kind)
  return from <= at && at < to
}

/** The next span, from `at` on, in which orders of this class may trade. */
export function tradingSpan(
  settings: WorldSettings,
  kind: BookClass,
  at: Instant,
): { readonly from: Instant; readonly to: Instant | undefined } {
  if (settings.hours === 'always' || kind === 'pair') return { from: at, to: undefined }
  const [from, to] = spanOf(sessionEndingAfter(at, kind), kind)
  return { from: from > at ? from : at, to }
}

/** The terms that determine when an order trades and expires. */
export type SessionTerms = {
  readonly symbol: Ticker
  readonly timeInForce: TimeInForce
  readonly extendedHours: boolean
}

/**
 * Whether an order leaves for the market now, with this latency, or is queued for the next session.
 */
export function sessionEntry(
  settings: WorldSettings,
  order: SessionTerms,
  at: Instant,
  latencyNs: bigint,
): { readonly status: 'pendingNew' | 'accepted'; readonly due: Instant } {
  const kind = classOf(order)
  if (settings.hours === 'always' || kind === 'pair' || sessionFor(order, kind, at).preOpen <= at)
    return { status: 'pendingNew', due: arrival(settings, order, at, latencyNs) }
  return { status: 'accepted', due: sessionFor(order, kind, at).preOpen }
}

/**
 * The time an order that leaves now reaches the market. An immediate order waits for its trading hours first.
 */
export function arrival(
  settings: WorldSettings,
  order: SessionTerms,
  at: Instant,
  latencyNs: bigint,
): Instant {
  const soon = later(at, latencyNs)
  if (order.timeInForce !== 'ioc' && order.timeInForce !== 'fok') return soon
  const { from } = tradingSpan(settings, classOf(order), at)
  return from > soon ? from : soon
}

/** A day order expires with its session; a GTC order is canceled after the close 90 days later. */
const GTC_DAYS = 90
const SWEEP_MINUTE = 16 * 60 + 15
/** Unfilled auction orders expire this long after the auction. */
export const AUCTION_GRACE_NS = 60_000_000_000n

export function expiryOf(settings: WorldSettings, order: SessionTerms, at: Instant): Instant {
  const { timeInForce } = order
  if (timeInForce === 'gtc' || isPair(order.symbol))
    return instantOfSeconds(newYorkSeconds(dayOf(newYorkDate(at)) + GTC_DAYS, SWEEP_MINUTE))
  const kind = order.extendedHours && settings.hours === 'nyse' ? 'extended' : 'regular'
  const next = sessionFor(order, kind, at)
  if (timeInForce === 'opg') return later(next.open, AUCTION_GRACE_NS)
  if (timeInForce === 'cls') return later(next.close, AUCTION_GRACE_NS)
  return spanOf(next, kind)[1]
}

export const isForAuction = ({ timeInForce }: Pick<SessionTerms, 'timeInForce'>): boolean =>
  timeInForce === 'opg' || timeInForce === 'cls'

/** The time of the auction that an OPG or CLS order waits for; the order expires shortly after it. */
export const auctionOf = ({ expiresAt }: { readonly expiresAt: Instant }): Instant =>
  earlier(expiresAt, AUCTION_GRACE_NS)

/** Settlement is booked at the start of the pre-market. */
const SETTLING_MINUTE = 4 * 60
export const settlingInstant = (date: CivilDate): Instant => fromNewYork(date, SETTLING_MINUTE)

/** The session of the next regular close. */
export const nextClose = (at: Instant): MarketSession => sessionEndingAfter(at, 'regular')

/** The session of an order: the current or next one; for OPG, the next one that has not opened. */
function sessionFor({ timeInForce }: SessionTerms, kind: BookClass, at: Instant): MarketSession {
  const next = sessionEndingAfter(at, kind === 'extended' && timeInForce !== 'cls' ? 'extended' : 'regular')
  return timeInForce === 'opg' && next.open <= at ? nextSession(next.date) : next
}

type SessionClass = Exclude<BookClass, 'pair'>

function sessionEndingAfter(at: Instant, kind: SessionClass): MarketSession {
  const last = latest[kind]
  if (last && at >= last.from && at < last.end) return last.session
  const date = newYorkDate(at)
  const today = session(date)
  const next = today && at < spanOf(today, kind)[1] ? today : nextSession(date)
  latest[kind] = { from: at, end: spanOf(next, kind)[1], session: next }
  return next
}

/** Cached session, valid from the requested instant until its end. */
type CachedSession = { readonly from: Instant; readonly end: Instant; readonly session: MarketSession }
const latest: Record<SessionClass, CachedSession | undefined> = { regular: undefined, extended: undefined }

const spanOf = (day: MarketSession, kind: SessionClass): readonly [Instant, Instant] =>
  kind === 'regular' ? [day.open, day.close] : [day.preOpen, day.postClose]

export type WindowRefusal =
  | { readonly code: 'tooLateForOpen' }
  | { readonly code: 'tooLateForClose'; readonly before: string }

/** From this minute of the day in New York, orders for the next day's auctions are accepted. */
const NEXT_DAY_MINUTE = 19 * 60
const OPG_MINUTES = 2n
const CLS_MINUTES = 10n

/**
 * On a trading day, auction orders are accepted until shortly before the auction, and in the evening for the
 * next day. In `always` hours they are accepted at any time.
 */
export function windowFault(
  { hours }: WorldSettings,
  timeInForce: TimeInForce,
  at: Instant,
): WindowRefusal | undefined {
  if (hours === 'always' || (timeInForce !== 'opg' && timeInForce !== 'cls')) return undefined
  const today = session(newYorkDate(at))
  if (!today || at >= fromNewYork(today.date, NEXT_DAY_MINUTE)) return undefined
  if (timeInForce === 'opg') return at < today.open - OPG_MINUTES * MINUTE ? undefined : TOO_LATE_FOR_OPEN
  if (at < today.close - CLS_MINUTES * MINUTE) return undefined
  return { code: 'tooLateForClose', before: today.isEarly ? '12:50pm' : '3:50pm' }
}

const TOO_LATE_FOR_OPEN = { code: 'tooLateForOpen' } as const
