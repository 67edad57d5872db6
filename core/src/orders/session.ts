import type { Ticker } from '../ids.ts'
import { isPair } from '../market/asset.ts'
import { nextSession, type Session, session } from '../market/calendar.ts'
import { addDays, type CivilDate, fromNewYork, type Instant, newYorkDate } from '../time.ts'
import type { WorldSettings } from '../world.ts'
import { type BookClass, classOf } from './matching/book.ts'
import type { TimeInForce } from './order.ts'

/**
 * When orders may trade. In `nyse` hours plain orders trade in the regular session, extended ones from the start
 * of the pre-market to the end of the after-market; what comes later waits for the next session's pre-market.
 * In `always` hours every order trades at any time; only its end still follows New York. Pairs of coins always do.
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

/** What says when an order may trade, and when it ends. */
export type SessionTerms = {
  readonly symbol: Ticker
  readonly timeInForce: TimeInForce
  readonly extendedHours: boolean
}

/** How an order enters: on its way to the market after the world's latency, or queued for the next session. */
export function entryOf(
  settings: WorldSettings,
  order: SessionTerms,
  at: Instant,
): { readonly status: 'pendingNew' | 'accepted'; readonly due: Instant } {
  const kind = classOf(order)
  if (settings.hours === 'always' || kind === 'pair' || sessionFor(order, kind, at).preOpen <= at)
    return { status: 'pendingNew', due: arrival(settings, order, at) }
  return { status: 'accepted', due: sessionFor(order, kind, at).preOpen }
}

/** When the market has an order that leaves now. One that will not wait there leaves in time for its hours. */
export function arrival(settings: WorldSettings, order: SessionTerms, at: Instant): Instant {
  const soon = (at + settings.latencyNs) as Instant
  if (order.timeInForce !== 'ioc' && order.timeInForce !== 'fok') return soon
  const { from } = tradingSpan(settings, classOf(order), at)
  return from > soon ? from : soon
}

/** A day order ends with its session; one good till canceled is swept after the close 90 days on. */
const GTC_DAYS = 90
const SWEEP_MINUTE = 16 * 60 + 15
/** What an auction left unfilled ends so long after it. */
export const AUCTION_GRACE_NS = 60_000_000_000n

export function expiryOf(settings: WorldSettings, order: SessionTerms, at: Instant): Instant {
  const { timeInForce } = order
  if (timeInForce === 'gtc' || isPair(order.symbol))
    return fromNewYork(addDays(newYorkDate(at), GTC_DAYS), SWEEP_MINUTE)
  const kind = order.extendedHours && settings.hours === 'nyse' ? 'extended' : 'regular'
  const next = sessionFor(order, kind, at)
  if (timeInForce === 'opg') return (next.open + AUCTION_GRACE_NS) as Instant
  if (timeInForce === 'cls') return (next.close + AUCTION_GRACE_NS) as Instant
  return spanOf(next, kind)[1]
}

/** Settlement is booked as the pre-market of its day begins. */
const SETTLING_MINUTE = 4 * 60
export const settlingInstant = (date: CivilDate): Instant => fromNewYork(date, SETTLING_MINUTE)

/** The regular close that comes next. */
export const nextClose = (at: Instant): Session => sessionEndingAfter(at, 'regular')

/** The session an order is for: the one that runs or comes next, or the next that is still to open. */
function sessionFor({ timeInForce }: SessionTerms, kind: BookClass, at: Instant): Session {
  const next = sessionEndingAfter(at, kind === 'extended' && timeInForce !== 'cls' ? 'extended' : 'regular')
  return timeInForce === 'opg' && next.open <= at ? nextSession(next.date) : next
}

type SessionClass = Exclude<BookClass, 'pair'>

function sessionEndingAfter(at: Instant, kind: SessionClass): Session {
  const last = latest[kind]
  if (last && at >= last.from && at < last.end) return last.session
  const date = newYorkDate(at)
  const today = session(date)
  const found = today && at < spanOf(today, kind)[1] ? today : nextSession(date)
  latest[kind] = { from: at, end: spanOf(found, kind)[1], session: found }
  return found
}

/** From the instant that was asked for until its end, a session answers for all. */
type Answer = { readonly from: Instant; readonly end: Instant; readonly session: Session }
const latest: Record<SessionClass, Answer | undefined> = { regular: undefined, extended: undefined }

const spanOf = (of: Session, kind: SessionClass): readonly [Instant, Instant] =>
  kind === 'regular' ? [of.open, of.close] : [of.preOpen, of.postClose]
