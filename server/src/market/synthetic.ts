import { setImmediate } from 'node:timers/promises'
import {
  ASSETS,
  type Asset,
  assetOf,
  type Bar,
  type BarQuery,
  type Book,
  type BookLevel,
  barsOf,
  bookOf,
  type CustomSymbol,
  type Frame,
  type Hours,
  type Instant,
  instantOfMicros,
  makeMarket,
  microsBefore,
  PROFILES,
  type Price,
  type Print,
  type Profile,
  profileOf,
  scaleOf,
  type Tape,
  type Ticker,
} from '@quipu/core'
import { type Board, makeBoard } from './board.ts'
import type { MarketSource, TouchQuery } from './market-source.ts'
import { auctionsOf } from './synthetic-auctions.ts'
import { ticksOf } from './synthetic-ticks.ts'
import { priceOf, quantityOf, quoteTickOf, tradeOf } from './synthetic-trade.ts'

/** What is made, and how far is searched, in one go: a few milliseconds, then other worlds have their turn. */
const BARS_AT_ONCE: Record<Frame['unit'], number> = { minute: 1000, hour: 200, day: 500, week: 100, month: 8 }
const SEARCH_MICROS = 30 * 86_400_000_000

/** A market that is computed: seeded, endless, the same on every machine. `docs/market.md` says how. */
export function syntheticMarket(setup: {
  readonly seed: string
  readonly hours: Hours
  /** Only these; absent means all. */
  readonly symbols?: readonly Ticker[] | undefined
  /** And these, which may be listed or not. */
  readonly extra?: readonly CustomSymbol[] | undefined
}): MarketSource {
  const { extra = [] } = setup
  const profiles = [...PROFILES, ...extra.map(profileOf)]
  const tapes = makeMarket({ seed: setup.seed, hours: setup.hours, profiles })
  const assets = new Map([...ASSETS].filter(([symbol]) => setup.symbols?.includes(symbol) ?? true))
  for (const custom of extra) assets.set(custom.symbol as Ticker, assetOf(custom))
  const listings = new Map<Ticker, Listing>()
  return sourceOf(assets, (symbol) => {
    const known = listings.get(symbol)
    const asset = assets.get(symbol)
    if (known || !asset) return known
    const tape = tapes.get(symbol)!
    const profile = profiles.findLast((each) => each.symbol === symbol)!
    const listing = { asset, profile, tape, board: makeBoard(tape, asset) }
    listings.set(symbol, listing)
    return listing
  })
}

/** All there is of one symbol. It is made when it is first asked for, so a world of many symbols costs nothing. */
type Listing = {
  readonly asset: Asset
  readonly profile: Profile
  readonly tape: Tape
  readonly board: Board
}

function sourceOf(
  assets: ReadonlyMap<Ticker, Asset>,
  listingOf: (symbol: Ticker) => Listing | undefined,
): MarketSource {
  const bars = (query: BarQuery): Promise<readonly Bar[]> =>
    of(query.symbol, [], (listing) => pagedBars(listing, query))
  /** What one listing answers; for a symbol that is unknown there is nothing. */
  const of = async <Answer, Nothing>(
    symbol: Ticker,
    nothing: Nothing,
    answer: (listing: Listing) => Answer | Promise<Answer>,
  ): Promise<Answer | Nothing> => {
    const listing = listingOf(symbol)
    return listing ? answer(listing) : nothing
  }
  return {
    assets: () => assets,
    pricesAt: (at) => ({
      quote: (symbol) => listingOf(symbol)?.board.quote(at),
      trade: (symbol) => listingOf(symbol)?.board.trade(at),
    }),
    nextQuote: async (symbol, at, until) => listingOf(symbol)?.board.next(at, until),
    nextTouch: (query) => of(query.symbol, undefined, (listing) => findTouch(listing, query)),
    bars,
    latestBar: async (symbol, now) => (await bars(newest(symbol, now)))[0],
    trades: (query) =>
      of(query.symbol, [], ({ tape, asset }) => ticksOf(tape, query, (print) => tradeOf(asset, print))),
    latestTrade: (symbol, now) =>
      of(symbol, undefined, ({ tape, asset }) => latest(tape, now, (print) => tradeOf(asset, print))),
    quotes: (query) =>
      of(query.symbol, [], ({ tape, asset }) => ticksOf(tape, query, (print) => quoteTickOf(asset, print))),
    latestQuote: (symbol, now) =>
      of(symbol, undefined, ({ tape, asset }) => latest(tape, now, (print) => quoteTickOf(asset, print))),
    book: (symbol, at) => of(symbol, undefined, (listing) => bookAt(listing, at)),
    auctions: (query) => of(query.symbol, [], ({ tape, asset }) => auctionsOf(tape, asset, query)),
    events: async () => [],
  }
}

function bookAt({ asset, profile, tape }: Listing, at: Instant): Book | undefined {
  const print = asset.class === 'crypto' ? tape.last(microsBefore(at)) : undefined
  if (!print) return undefined
  const level = ({ price, size }: { price: number; size: number }): BookLevel => ({
    price: priceOf(price, asset),
    size: quantityOf(size, asset),
  })
  const { bids, asks } = bookOf(profile, print)
  return { at: instantOfMicros(print.at), bids: bids.map(level), asks: asks.map(level) }
}

function latest<Tick>(tape: Tape, now: Instant, make: (print: Print) => Tick): Tick | undefined {
  const print = tape.last(microsBefore(now))
  return print && make(print)
}

/** The newest bar is among those of the last fortnight, or there is none worth showing. */
const FORTNIGHT_NS = 14n * 86_400_000_000_000n

function newest(symbol: Ticker, now: Instant): BarQuery {
  const from = (now - FORTNIGHT_NS) as Instant
  return { symbol, frame: { unit: 'minute', count: 1 }, from, to: now, now, sort: 'desc', limit: 1 }
}

async function pagedBars({ tape, asset }: Listing, query: BarQuery): Promise<readonly Bar[]> {
  const scale = scaleOf(asset)
  const atOnce = BARS_AT_ONCE[query.frame.unit]
  const bars: Bar[] = []
  let part: readonly Bar[]
  do {
    if (bars.length > 0) await setImmediate()
    const last = bars.at(-1)
    const limit = Math.min(atOnce, query.limit - bars.length)
    part = barsOf(tape, scale, { ...query, limit, ...(last && { after: last.start }) })
    bars.push(...part)
  } while (part.length === atOnce && bars.length < query.limit)
  return bars
}

async function findTouch({ tape, asset, board }: Listing, query: TouchQuery): Promise<Instant | undefined> {
  const { side, price, from, to } = query
  if (from > to) return undefined
  const quote = board.quote(from)
  if (quote && (side === 'buy' ? quote.ask <= price : quote.bid >= price)) return from
  const ticks = stepsOf(price, asset.tick, side)
  const end = microsBefore(to)
  for (let start = microsBefore(from); start < end; start += SEARCH_MICROS) {
    const found = tape.touch(side, ticks, start, Math.min(end, start + SEARCH_MICROS))
    if (found !== undefined) return instantOfMicros(found)
    await setImmediate()
  }
  return undefined
}

/** The ticks an ask may cost at most, or a bid must bring at least. */
function stepsOf(price: bigint, tick: Price, side: 'buy' | 'sell'): number {
  return Number(side === 'buy' ? price / tick : (price + tick - 1n) / tick)
}
