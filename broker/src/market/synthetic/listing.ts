import {
  type Asset,
  asKnownAt,
  type Bar,
  type BarColumns,
  type BarFrame,
  type BarQuery,
  type BookLevel,
  barColumnsOf,
  barsOfColumns,
  bookOf,
  definedFields,
  earlier,
  type Instant,
  instantOfMicros,
  type LastTrade,
  makeBarColumns,
  microsAfter,
  microsBefore,
  type Price,
  type Profile,
  type Quote,
  type QuoteBook,
  type QuoteTick,
  type ReportingErrors,
  scaleOf,
  startAt,
  type Tape,
  type TapeMessage,
  type TickQuery,
  type Trade,
} from '@quipu/core'
import { pauseWork } from '../../clock/long-work.ts'
import type { Board } from '../board.ts'
import type { TouchQuery, TradeSearch } from '../market-source.ts'
import { reportedTrades } from './reports.ts'
import { lastTradeOf, quantityOf, quoteTickOf, tradeOf, tradePrice } from './trade.ts'

/** All data of one symbol. Created on first use, so that unused symbols cost nothing. */
export type SyntheticListing = {
  readonly asset: Asset
  readonly profile: Profile
  readonly tape: Tape
  readonly board: Board
  /** When trading stops; until the first trade after that there is no quote. */
  readonly halts: readonly Instant[]
  /** Whether trading is halted or paused. */
  readonly isHalted: (at: Instant) => boolean
  readonly notices: readonly TapeMessage[]
  /** Late, corrected and canceled trades, if there are any. */
  readonly errors: ReportingErrors | undefined
  /** When the symbol ends: what happens to its issue from then on is reported under another name, or not at all. */
  readonly endsAt: Instant | undefined
}

/** Bars per step and search range per step: a few milliseconds, then other worlds run. */
const BARS_AT_ONCE: Record<BarFrame['unit'], number> = {
  minute: 1000,
  hour: 200,
  day: 500,
  week: 100,
  month: 8,
}
const SEARCH_MICROS = 30 * 86_400_000_000

export const listedBars = async (listing: SyntheticListing, query: BarQuery): Promise<readonly Bar[]> =>
  (await listedBarColumns(listing, query)).flatMap(barsOfColumns)

export async function listedBarColumns(
  { tape, asset, errors }: SyntheticListing,
  query: BarQuery,
): Promise<readonly BarColumns[]> {
  const known = errors ? asKnownAt(tape, errors, microsBefore(query.now)) : tape
  const atOnce = BARS_AT_ONCE[query.frame.unit]
  const parts: BarColumns[] = []
  let [part, remaining, after] = [makeBarColumns(0), query.limit, query.after]
  do {
    if (parts.length > 0) await pauseWork()
    const limit = Math.min(atOnce, remaining)
    part = barColumnsOf(known, scaleOf(asset), { ...query, limit, ...definedFields({ after }) })
    parts.push(part)
    remaining -= part.count
    if (part.count > 0) after = startAt(part, part.count - 1)
  } while (part.count === atOnce && remaining > 0)
  return parts
}

export const listedTrades = (
  { tape, asset, errors }: SyntheticListing,
  query: TickQuery,
): Promise<readonly Trade[]> =>
  errors
    ? reportedTrades(tape, asset, errors, query)
    : ticksOf(tape.prints, query, (print) => tradeOf(asset, print))

/** The newest trade or quote is searched in the last two weeks. */
export const FORTNIGHT_NS = 14n * 86_400_000_000_000n
/** Among this many trades at least one was not canceled. */
const A_FEW = 100

export async function newestTrade(listing: SyntheticListing, now: Instant): Promise<Trade | undefined> {
  const { asset, tape, errors } = listing
  if (!errors) {
    const print = tape.last(microsBefore(now))
    return print && tradeOf(asset, print)
  }
  const from = earlier(now, FORTNIGHT_NS)
  const query = { symbol: asset.symbol, from, to: now, now, sort: 'desc', limit: A_FEW } as const
  const trades = await listedTrades(listing, query)
  return trades.find(({ update }) => update === undefined || update === 'corrected')
}

export function newestQuote({ tape, asset }: SyntheticListing, now: Instant): QuoteTick | undefined {
  const quote = tape.lastQuote(microsBefore(now))
  return quote && quoteTickOf(asset, quote)
}

export const listedQuotes = (
  { tape, asset }: SyntheticListing,
  query: TickQuery,
): Promise<readonly QuoteTick[]> => ticksOf(tape.quotes, query, (quote) => quoteTickOf(asset, quote))

export function listingQuoteAt({ board, halts }: SyntheticListing, at: Instant): Quote | undefined {
  const quote = board.quote(at)
  if (halts.length === 0 || !quote) return quote
  return halts.some((stop) => stop > quote.at && stop <= at) ? undefined : quote
}

export function bookAt({ asset, profile, tape }: SyntheticListing, at: Instant): QuoteBook | undefined {
  const quote = asset.class === 'crypto' ? tape.lastQuote(microsBefore(at)) : undefined
  if (!quote) return undefined
  const level = ({ price, size }: { price: number; size: number }): BookLevel => ({
    price: tradePrice(price, asset),
    size: quantityOf(size, asset),
  })
  const { bids, asks } = bookOf(profile, quote)
  return { at: instantOfMicros(quote.at), bids: bids.map(level), asks: asks.map(level) }
}

export async function findTouch(listing: SyntheticListing, query: TouchQuery): Promise<Instant | undefined> {
  const { side, price, from, to } = query
  const { tape, asset } = listing
  if (from > to) return undefined
  const quote = listingQuoteAt(listing, from)
  if (quote && (side === 'buy' ? quote.ask <= price : quote.bid >= price)) return from
  const ticks = stepsOf(price, asset.tick, side)
  const end = microsBefore(to)
  for (let start = microsBefore(from); start < end; start += SEARCH_MICROS) {
    const found = tape.touch(side, ticks, start, Math.min(end, start + SEARCH_MICROS))
    if (found !== undefined) return instantOfMicros(found)
    await pauseWork()
  }
  return undefined
}

export async function findTrade(
  { tape, asset }: SyntheticListing,
  { direction, price, from, to }: TradeSearch,
): Promise<LastTrade | undefined> {
  const ticks = stepsOf(price, asset.tick, direction === 'fall' ? 'buy' : 'sell')
  const end = microsBefore(to)
  for (let start = microsAfter(from); start <= end; start += SEARCH_MICROS + 1) {
    const print = tape.reach(direction, ticks, start, Math.min(end, start + SEARCH_MICROS))
    if (print) return lastTradeOf(asset, print)
    await pauseWork()
  }
  return undefined
}

/** The maximum ask or minimum bid in ticks. */
function stepsOf(price: bigint, tick: Price, side: 'buy' | 'sell'): number {
  return Number(side === 'buy' ? price / tick : (price + tick - 1n) / tick)
}

/** Ticks per step: a few milliseconds, then other worlds run. */
const TICKS_AT_ONCE = 2000

/** Reads the trades, or the quotes, of a tape. */
type Read<Item> = (from: number, to: number, limit: number, backwards: boolean) => readonly Item[]

/** The selected items, each converted with `make`. No two trades or quotes of a tape have the same instant. */
export async function ticksOf<Item extends { readonly at: number }, Tick>(
  read: Read<Item>,
  query: TickQuery,
  make: (item: Item) => Tick,
): Promise<readonly Tick[]> {
  const backwards = query.sort === 'desc'
  let [from, to] = microsRange(query, backwards)
  const ticks: Tick[] = []
  let part: readonly Item[]
  do {
    if (ticks.length > 0) await pauseWork()
    part = read(from, to, Math.min(TICKS_AT_ONCE, query.limit - ticks.length), backwards)
    for (const item of part) ticks.push(make(item))
    const last = part.at(-1)
    if (last && backwards) to = last.at - 1
    else if (last) from = last.at + 1
  } while (part.length === TICKS_AT_ONCE && ticks.length < query.limit)
  return ticks
}

function microsRange({ from, to, now, after }: TickQuery, backwards: boolean): [number, number] {
  const first = Math.max(0, microsAfter(from))
  const last = microsBefore(to < now ? to : now)
  if (after === undefined) return [first, last]
  return backwards
    ? [first, Math.min(last, microsAfter(after.at) - 1)]
    : [Math.max(first, microsBefore(after.at) + 1), last]
}
