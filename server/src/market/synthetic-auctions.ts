import { setImmediate } from 'node:timers/promises'
import {
  type Asset,
  type Auction,
  type AuctionQuery,
  type DailyAuctions,
  dateOf,
  dayOf,
  microsBefore,
  type Print,
  session,
  type Tape,
  tradingDayAt,
  tradingDaysBefore,
} from '@quipu/core'
import { tradeOf } from './synthetic-trade.ts'

/** Days looked at in one go. */
const DAYS_AT_ONCE = 40

/** The auctions of the trading days that a query asks for: the first and the last print of each session. */
export async function auctionsOf(
  tape: Tape,
  asset: Asset,
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
    if (step % DAYS_AT_ONCE === DAYS_AT_ONCE - 1) await setImmediate()
    const day = tradingDayAt(backwards ? last - step : first + step)
    const held = day === undefined ? undefined : heldOn(tape, asset, day, microsBefore(now))
    if (held) found.push(held)
    else if (!backwards && day !== undefined && session(dateOf(day))!.open > now) break
  }
  return found
}

function heldOn(tape: Tape, asset: Asset, day: number, now: number): DailyAuctions | undefined {
  const date = dateOf(day)
  const { open, close } = session(date)!
  const [start, end] = [microsBefore(open), microsBefore(close)]
  const opening = now < start ? undefined : tape.next(start - 1, Math.min(now, end - 1))
  if (!opening) return undefined
  const closing = now < end ? undefined : tape.last(end - 1)
  return {
    date,
    open: printed(asset, opening, ['O', 'Q']),
    // The last trade of the session has its price and size; the auction itself is held at the close.
    close: closing ? printed(asset, { ...closing, at: end }, ['6', 'M']) : [],
  }
}

function printed(asset: Asset, print: Print, conditions: readonly Auction['condition'][]): Auction[] {
  const { at, price, size, exchange } = tradeOf(asset, print)
  return conditions.map((condition) => ({ at, price, size, exchange, condition }))
}
