import {
  type Asset,
  addDays,
  type Bar,
  type BarColumns,
  type BarQuery,
  barStart,
  type CivilDate,
  columnsOfBars,
  type DayFrame,
  earlier,
  foldBars,
  type Instant,
  isDayFrame,
  later,
  min,
  newYork,
  rowsIn,
  type Ticker,
  zoneOf,
} from '@quipu/core'
import { type MarketHistory, type MarketSchedule, type MarketSource, nextEdition } from './market-source.ts'

/**
 * Two markets as one. Some symbols use the first market before a cut (midnight of a day) and the second market from
 * then on. All other symbols use only the second market.
 */
export function spliceMarkets(
  first: MarketSource,
  second: MarketSource,
  cuts: ReadonlyMap<Ticker, Instant>,
): MarketSource {
  // A symbol that ends with the first market is still an asset.
  const ended = [...first.assets()].filter(([symbol]) => cuts.has(symbol) && !second.assets().has(symbol))
  const assets = new Map([...second.assets(), ...ended])
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
        volume: (symbol) => (at < (cuts.get(symbol) ?? at) ? before : since).volume?.(symbol),
      }
    },
    schedule: spliceSchedules(first.schedule, second.schedule, cuts),
    history: spliceHistories({ first: first.history, second: second.history, cuts, assets }),
  }
}

const spliceSchedules = (
  first: MarketSchedule,
  second: MarketSchedule,
  cuts: ReadonlyMap<Ticker, Instant>,
): MarketSchedule => ({
  async nextQuote(symbol, at, until) {
    const cut = cuts.get(symbol)
    if (cut === undefined || at >= cut) return second.nextQuote(symbol, at, until)
    const found = await first.nextQuote(symbol, at, min(until, cut))
    return found ?? second.nextQuote(symbol, before(cut), until)
  },
  async nextTouch(query) {
    const cut = cuts.get(query.symbol)
    if (cut === undefined || query.from >= cut) return second.nextTouch(query)
    const found = await first.nextTouch({ ...query, to: min(query.to, before(cut)) })
    if (found !== undefined || query.to < cut) return found
    // The last quote of the first market is valid until the second market has one.
    const from = await second.nextQuote(query.symbol, before(cut), later(query.to, 1n))
    return from === undefined ? undefined : second.nextTouch({ ...query, from })
  },
  async nextTrade(query) {
    const cut = cuts.get(query.symbol)
    if (cut === undefined || query.from >= cut) return second.nextTrade(query)
    const found = await first.nextTrade({ ...query, to: min(query.to, before(cut)) })
    return found || query.to < cut ? found : second.nextTrade({ ...query, from: cut })
  },
})

const before = (at: Instant): Instant => earlier(at, 1n)

type Splice = {
  readonly first: MarketHistory
  readonly second: MarketHistory
  readonly cuts: ReadonlyMap<Ticker, Instant>
  readonly assets: ReadonlyMap<Ticker, Asset>
}

function spliceHistories(splice: Splice): MarketHistory {
  const { first, second, cuts } = splice
  const areSettled = first.edition !== undefined && second.edition !== undefined
  return {
    edition: areSettled ? nextEdition() : undefined,
    bars: (query) => barsOf(splice, query),
    barColumns: (query) => columnsOf(splice, query),
    latestBar: (symbol, now) =>
      latest(splice, symbol, now, (history) => history.latestBar(symbol, now), startOf),
    trades: (query) => joined(splice, query, instants, (history, part) => history.trades(part)),
    latestTrade: (symbol, now) =>
      latest(splice, symbol, now, (history) => history.latestTrade(symbol, now), timeOf),
    quotes: (query) => joined(splice, query, instants, (history, part) => history.quotes(part)),
    latestQuote: (symbol, now) =>
      latest(splice, symbol, now, (history) => history.latestQuote(symbol, now), timeOf),
    book: (symbol, at) => (at < (cuts.get(symbol) ?? at) ? first : second).book(symbol, at),
    auctions: (query) => joined(splice, query, days, (history, part) => history.auctions(part)),
    events: (query) => joined(splice, query, instants, (history, part) => history.events(part)),
  }
}

const startOf = ({ start }: Bar): Instant => start
const timeOf = ({ at }: { readonly at: Instant }): Instant => at

/** Uses the second history only if its latest item is after the cut. */
async function latest<Item>(
  { first, second, cuts }: Splice,
  symbol: Ticker,
  now: Instant,
  read: (history: MarketHistory) => Promise<Item | undefined>,
  instantOf: (item: Item) => Instant,
): Promise<Item | undefined> {
  const cut = cuts.get(symbol)
  if (cut === undefined) return read(second)
  const found = now >= cut ? await read(second) : undefined
  return found && instantOf(found) >= cut ? found : read(first)
}

type ListQuery<At> = {
  readonly symbol: Ticker
  readonly from: At
  readonly to: At
  readonly sort: 'asc' | 'desc'
  readonly limit: number
}

/** The last position before a cut, and the first one after it. */
type Edges<At> = (cut: Instant) => readonly [At, At]
const instants: Edges<Instant> = (cut) => [before(cut), cut]
const days: Edges<CivilDate> = (cut) => [addDays(newYork(cut).date, -1), newYork(cut).date]

/** A list across the cut: the items of one history, then of the other, up to the limit. */
async function pieces<At extends Instant | CivilDate, Query extends ListQuery<At>, List>(
  { first, second, cuts }: Splice,
  query: Query,
  edges: Edges<At>,
  read: (history: MarketHistory, part: Query) => Promise<List>,
  countOf: (list: List) => number,
): Promise<readonly List[]> {
  const cut = cuts.get(query.symbol)
  if (cut === undefined) return [await read(second, query)]
  const [last, start] = edges(cut)
  const parts: readonly [MarketHistory, Query][] = [
    [first, { ...query, to: query.to < last ? query.to : last }],
    [second, { ...query, from: query.from > start ? query.from : start }],
  ]
  const found: List[] = []
  let remaining = query.limit
  for (const [history, part] of query.sort === 'asc' ? parts : parts.toReversed())
    if (part.from <= part.to && remaining > 0) {
      const list = await read(history, { ...part, limit: remaining })
      found.push(list)
      remaining -= countOf(list)
    }
  return found
}

const joined = async <At extends Instant | CivilDate, Query extends ListQuery<At>, Item>(
  splice: Splice,
  query: Query,
  edges: Edges<At>,
  read: (history: MarketHistory, part: Query) => Promise<readonly Item[]>,
): Promise<readonly Item[]> => (await pieces(splice, query, edges, read, (list) => list.length)).flat()

/** Weeks and months may cross the cut, so they are folded from the days of both markets. */
const isLong = ({ cuts }: Splice, query: BarQuery): query is BarQuery & { readonly frame: DayFrame } =>
  cuts.has(query.symbol) && isDayFrame(query.frame) && query.frame.unit !== 'day'

const barsOf = (splice: Splice, query: BarQuery): Promise<readonly Bar[]> =>
  isLong(splice, query)
    ? longBars(splice, query)
    : joined(splice, query, instants, (history, part) => history.bars(part))

async function columnsOf(splice: Splice, query: BarQuery): Promise<readonly BarColumns[]> {
  if (isLong(splice, query)) return [columnsOfBars(await longBars(splice, query))]
  return (await pieces(splice, query, instants, (history, part) => history.barColumns(part), rowsIn)).flat()
}

async function longBars(
  splice: Splice,
  query: BarQuery & { readonly frame: DayFrame },
): Promise<readonly Bar[]> {
  const { frame, from, to, now, sort, limit, after, symbol } = query
  const zone = zoneOf(splice.assets.get(symbol)?.class ?? 'usEquity')
  const end = min(to, now)
  const parts = await barsOf(splice, {
    symbol,
    frame: { unit: 'day', count: 1 },
    from: barStart(frame, from, zone),
    to: later(end, YEAR_NS),
    now,
    sort: 'asc',
    limit: Number.MAX_SAFE_INTEGER,
  })
  const isAfter = (start: Instant): boolean =>
    after === undefined || (sort === 'asc' ? start > after : start < after)
  const bars = foldBars(parts, frame, zone).filter(
    ({ start }) => start >= from && start <= end && isAfter(start),
  )
  return (sort === 'asc' ? bars : bars.toReversed()).slice(0, limit)
}

/** No frame is longer. */
const YEAR_NS = 366n * 86_400_000_000_000n
