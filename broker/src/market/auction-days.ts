import {
  type Auction,
  type AuctionQuery,
  type DailyAuctions,
  dateOf,
  dayOf,
  earlier,
  type Instant,
  type MarketSession,
  missing,
  session,
  type Trade,
  tradingDayAt,
  tradingDaysBefore,
} from '@quipu/core'
import { pauseWork } from '../clock/long-work.ts'

/** Days per step. */
const DAYS_AT_ONCE = 40

/** The prints of a tape that give the auctions; both bounds are inclusive. */
export type AuctionPrints = {
  first(from: Instant, to: Instant): Trade | undefined
  last(from: Instant, to: Instant): Trade | undefined
  /** A halt or a pause over the open or the close leaves no such auction. A pause ends at the close at the latest. */
  isHalted(at: Instant): boolean
}

/** The auctions of the selected trading days: the first and the last print of each session. */
export async function auctionDays(
  prints: AuctionPrints,
  query: AuctionQuery,
): Promise<readonly DailyAuctions[]> {
  const { from, to, sort, limit, after, now } = query
  const backwards = sort === 'desc'
  let first = tradingDaysBefore(dayOf(from))
  let last = tradingDaysBefore(dayOf(to) + 1) - 1
  if (after !== undefined && backwards) last = Math.min(last, tradingDaysBefore(dayOf(after)) - 1)
  if (after !== undefined && !backwards) first = Math.max(first, tradingDaysBefore(dayOf(after) + 1))
  const found: DailyAuctions[] = []
  for (let step = 0; step <= last - first && found.length < limit; step++) {
    if (step % DAYS_AT_ONCE === DAYS_AT_ONCE - 1) await pauseWork()
    const day = tradingDayAt(backwards ? last - step : first + step)
    if (day === undefined) continue
    const hours = session(dateOf(day)) ?? missing('a session')
    if (hours.open > now && !backwards) break
    const auctions = auctionsOfDay(prints, hours, now)
    if (auctions) found.push(auctions)
  }
  return found
}

function auctionsOfDay(
  prints: AuctionPrints,
  { date, open, close }: MarketSession,
  now: Instant,
): DailyAuctions | undefined {
  const before = earlier(close, 1n)
  const first = now < open ? undefined : prints.first(open, now < before ? now : before)
  if (!first) return undefined
  const closing = now < close || prints.isHalted(close) ? undefined : prints.last(open, before)
  return {
    date,
    open: prints.isHalted(open) ? [] : auctionsAt(first, ['O', 'Q']),
    // The closing auction has the price and size of the last trade, and the time of the close.
    close: closing ? auctionsAt({ ...closing, at: close }, ['6', 'M']) : [],
  }
}

const auctionsAt = (
  { at, price, size, exchange }: Trade,
  conditions: readonly Auction['condition'][],
): Auction[] => conditions.map((condition) => ({ at, price, size, exchange, condition }))
