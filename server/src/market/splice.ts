import {
  type AuctionQuery,
  addDays,
  type Bar,
  type BarColumns,
  type BarQuery,
  barStart,
  columnsOfBars,
  type DayFrame,
  foldBars,
  type Instant,
  isDayFrame,
  type LastTrade,
  newYork,
  type Ticker,
  type TickQuery,
  type Zone,
  zoneOf,
} from '@quipu/core'
import { barColumns, rowsIn } from './bar-columns.ts'
import { nextEdition } from './edition.ts'
import type { MarketSource, TouchQuery, TradeSearch } from './market-source.ts'

/**
 * Two markets as one. Some symbols use the first market before a cut (midnight of a day) and the second market from
 * then on. All other symbols use only the second market.
 */
export function spliceMarkets(
  first: MarketSource,
  second: MarketSource,
  cuts: ReadonlyMap<Ticker, Instant>,
): MarketSource {
  const splice: Splice = { first, second, cutOf: (symbol) => cuts.get(symbol) }
  // A symbol that ends with the first market is still an asset.
  const ended = [...first.assets()].filter(([symbol]) => cuts.has(symbol) && !second.assets().has(symbol))
  const assets = new Map([...second.assets(), ...ended])
  const areSettled = first.edition?.() !== undefined && second.edition?.() !== undefined
  const edition = areSettled ? nextEdition() : undefined
  return {
    assets: () => assets,
    pricesAt: (at) => {
      const [before, since] = [first.pricesAt(at), second.pricesAt(at)]
      const newest = <Shown extends { readonly at: Instant }>(
        symbol: Ticker,
        show: (prices: typeof since) => Shown | undefined,
      ): Shown | undefined => {
        const cut = cuts.get(symbol)
        const shown = cut === undefined || at >= cut ? show(since) : undefined
        return cut === undefined || (shown && shown.at >= cut) ? shown : show(before)
      }
      return {
        quote: (symbol) => newest(symbol, (prices) => prices.quote(symbol)),
        trade: (symbol) => newest(symbol, (prices) => prices.trade(symbol)),
      }
    },
    nextQuote: (symbol, at, until) => nextQuote(splice, symbol, at, until),
    nextTouch: (query) => nextTouch(splice, query),
    nextTrade: (query) => nextTrade(splice, query),
    bars: (query) => barsOf(splice, query),
    barColumns: (query) => columnsOf(splice, query),
    edition: () => edition,
    latestBar: (symbol, now) =>
      latest(splice, symbol, now, (market) => market.latestBar(symbol, now), startOf),
    trades: (query) => ticks(splice, query, (market, part) => market.trades(part)),
    latestTrade: (symbol, now) =>
      latest(splice, symbol, now, (market) => market.latestTrade(symbol, now), timeOf),
    quotes: (query) => ticks(splice, query, (market, part) => market.quotes(part)),
    latestQuote: (symbol, now) =>
      latest(splice, symbol, now, (market) => market.latestQuote(symbol, now), timeOf),
    book: (symbol, at) => marketAt(splice, symbol, at).book(symbol, at),
    auctions: (query) => auctions(splice, query),
    events: (query) => ticks(splice, query, (market, part) => market.events(part)),
  }
}

type Splice = {
  readonly first: MarketSource
  readonly second: MarketSource
  cutOf(symbol: Ticker): Instant | undefined
}

const startOf = ({ start }: Bar): Instant => start
const timeOf = ({ at }: { readonly at: Instant }): Instant => at

const marketAt = ({ first, second, cutOf }: Splice, symbol: Ticker, at: Instant): MarketSource => {
  const cut = cutOf(symbol)
  return cut !== undefined && at < cut ? first : second
}

/** Uses the second market only if its latest item is after the cut. */
async function latest<Item>(
  { first, second, cutOf }: Splice,
  symbol: Ticker,
  now: Instant,
  read: (market: MarketSource) => Promise<Item | undefined>,
  instantOf: (item: Item) => Instant,
): Promise<Item | undefined> {
  const cut = cutOf(symbol)
  if (cut === undefined) return read(second)
  const found = now >= cut ? await read(second) : undefined
  return found && instantOf(found) >= cut ? found : read(first)
}

async function nextQuote(
  { first, second, cutOf }: Splice,
  symbol: Ticker,
  at: Instant,
  until: Instant,
): Promise<Instant | undefined> {
  const cut = cutOf(symbol)
  if (cut === undefined || at >= cut) return second.nextQuote(symbol, at, until)
  const found = await first.nextQuote(symbol, at, until < cut ? until : cut)
  return found ?? second.nextQuote(symbol, (cut - 1n) as Instant, until)
}

async function nextTouch({ first, second, cutOf }: Splice, query: TouchQuery): Promise<Instant | undefined> {
  const cut = cutOf(query.symbol)
  if (cut === undefined || query.from >= cut) return second.nextTouch(query)
  const found = await first.nextTouch({ ...query, to: earlier(query.to, before(cut)) })
  if (found !== undefined || query.to < cut) return found
  // The last quote of the first market is valid until the second market has one.
  const from = await second.nextQuote(query.symbol, before(cut), (query.to + 1n) as Instant)
  return from === undefined ? undefined : second.nextTouch({ ...query, from })
}

async function nextTrade(
  { first, second, cutOf }: Splice,
  query: TradeSearch,
): Promise<LastTrade | undefined> {
  const cut = cutOf(query.symbol)
  if (cut === undefined || query.from >= cut) return second.nextTrade(query)
  const found = await first.nextTrade({ ...query, to: earlier(query.to, before(cut)) })
  return found || query.to < cut ? found : second.nextTrade({ ...query, from: cut })
}

const before = (at: Instant): Instant => (at - 1n) as Instant
const earlier = (a: Instant, b: Instant): Instant => (a < b ? a : b)
const later = (a: Instant, b: Instant): Instant => (a > b ? a : b)

type Ranged = {
  readonly from: Instant
  readonly to: Instant
  readonly sort: 'asc' | 'desc'
  readonly limit: number
}

/** A list across the cut: the items of one market, then of the other, up to the limit. */
async function joined<Query extends Ranged, List>(
  { first, second }: Splice,
  cut: Instant,
  query: Query,
  read: (market: MarketSource, part: Query) => Promise<List>,
  countOf: (list: List) => number,
): Promise<readonly List[]> {
  const parts: readonly [MarketSource, Query][] = [
    [first, { ...query, to: earlier(query.to, before(cut)) }],
    [second, { ...query, from: later(query.from, cut) }],
  ]
  const found: List[] = []
  let remaining = query.limit
  for (const [market, part] of query.sort === 'asc' ? parts : parts.toReversed())
    if (part.from <= part.to && remaining > 0) {
      const list = await read(market, { ...part, limit: remaining })
      found.push(list)
      remaining -= countOf(list)
    }
  return found
}

const lengthOf = (list: readonly unknown[]): number => list.length

async function ticks<Item>(
  splice: Splice,
  query: TickQuery,
  read: (market: MarketSource, part: TickQuery) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const cut = splice.cutOf(query.symbol)
  return cut === undefined
    ? read(splice.second, query)
    : (await joined(splice, cut, query, read, lengthOf)).flat()
}

async function barsOf(splice: Splice, query: BarQuery): Promise<readonly Bar[]> {
  const { symbol, frame } = query
  const cut = splice.cutOf(symbol)
  if (cut === undefined) return splice.second.bars(query)
  if (isDayFrame(frame) && frame.unit !== 'day') return longBars(splice, query, frame)
  return (await joined(splice, cut, query, (market, part) => market.bars(part), lengthOf)).flat()
}

async function columnsOf(splice: Splice, query: BarQuery): Promise<readonly BarColumns[]> {
  const cut = splice.cutOf(query.symbol)
  if (cut === undefined) return barColumns(splice.second, query)
  const { unit } = query.frame
  if (unit === 'week' || unit === 'month') return [columnsOfBars(await barsOf(splice, query))]
  return (await joined(splice, cut, query, barColumns, rowsIn)).flat()
}

/** Weeks and months may cross the cut, so they are folded from the days of both markets. */
async function longBars(splice: Splice, query: BarQuery, frame: DayFrame): Promise<readonly Bar[]> {
  const { from, to, now, sort, limit, after, symbol } = query
  const zone: Zone = zoneOf(
    (splice.second.assets().get(symbol) ?? splice.first.assets().get(symbol))?.class ?? 'usEquity',
  )
  const end = earlier(to, now)
  const days = await barsOf(splice, {
    symbol,
    frame: { unit: 'day', count: 1 },
    from: barStart(frame, from, zone),
    to: (end + YEAR_NS) as Instant,
    now,
    sort: 'asc',
    limit: Number.MAX_SAFE_INTEGER,
  })
  const isAfter = (start: Instant): boolean =>
    after === undefined || (sort === 'asc' ? start > after : start < after)
  const bars = foldBars(days, frame, zone).filter(
    ({ start }) => start >= from && start <= end && isAfter(start),
  )
  return (sort === 'asc' ? bars : bars.toReversed()).slice(0, limit)
}

/** No frame is longer. */
const YEAR_NS = 366n * 86_400_000_000_000n

/** Days before the cut use the first market. */
async function auctions({ first, second, cutOf }: Splice, query: AuctionQuery) {
  const cut = cutOf(query.symbol)
  if (cut === undefined) return second.auctions(query)
  const day = newYork(cut).date
  const last = addDays(day, -1)
  const parts: readonly [MarketSource, AuctionQuery][] = [
    [first, { ...query, to: query.to < last ? query.to : last }],
    [second, { ...query, from: query.from > day ? query.from : day }],
  ]
  const found = []
  for (const [market, part] of query.sort === 'asc' ? parts : parts.toReversed())
    if (part.from <= part.to && found.length < query.limit)
      found.push(...(await market.auctions({ ...part, limit: query.limit - found.length })))
  return found
}
