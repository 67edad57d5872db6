import { setImmediate } from 'node:timers/promises'
import {
  ASSETS,
  type Asset,
  type Bar,
  type BarQuery,
  barsOf,
  type Frame,
  type Hours,
  type Instant,
  instantOfMicros,
  makeMarket,
  microsAfter,
  microsBefore,
  PROFILES,
  type Price,
  type Print,
  type Tape,
  TICKS_PER_DOLLAR,
  type Ticker,
  type Trade,
} from '@quipu/core'
import { type Board, makeBoard } from './board.ts'
import type { MarketSource, TouchQuery, TradeQuery } from './market-source.ts'
import { tradeOf } from './synthetic-trade.ts'

/** What is made, and how far is searched, in one go: a few milliseconds, then other worlds have their turn. */
const BARS_AT_ONCE: Record<Frame['unit'], number> = { minute: 1000, hour: 200, day: 500, week: 100, month: 8 }
const TRADES_AT_ONCE = 2000
const SEARCH_MICROS = 30 * 86_400_000_000

/** A market that is computed: seeded, endless, the same on every machine. `docs/market.md` says how. */
export function syntheticMarket(setup: {
  readonly seed: string
  readonly hours: Hours
  /** Only these; absent means all. */
  readonly symbols?: readonly Ticker[] | undefined
}): MarketSource {
  const tapes = makeMarket({ seed: setup.seed, hours: setup.hours, profiles: PROFILES })
  const listed = [...ASSETS].filter(([symbol]) => setup.symbols?.includes(symbol) ?? true)
  const assets: ReadonlyMap<Ticker, Asset> = new Map(listed)
  const tapeOf = (symbol: Ticker): Tape | undefined => (assets.has(symbol) ? tapes.get(symbol) : undefined)
  const boards = new Map<Ticker, Board>()
  for (const [symbol, { tick }] of assets) boards.set(symbol, makeBoard(tapes.get(symbol)!, tick))
  const bars = (query: BarQuery): Promise<readonly Bar[]> => pagedBars(tapeOf(query.symbol), query)
  return {
    assets: () => assets,
    pricesAt: (at) => ({
      quote: (symbol) => boards.get(symbol)?.quote(at),
      trade: (symbol) => boards.get(symbol)?.trade(at),
    }),
    nextQuote: async (symbol, at, until) => boards.get(symbol)?.next(at, until),
    nextTouch: (query) => findTouch(tapeOf(query.symbol), assets.get(query.symbol), boards, query),
    bars,
    latestBar: async (symbol, now) => (await bars(newest(symbol, now)))[0],
    trades: (query) => pagedTrades(tapeOf(query.symbol), assets.get(query.symbol), query),
    async latestTrade(symbol, now) {
      const print = tapeOf(symbol)?.last(microsBefore(now))
      return print && tradeOf(assets.get(symbol)!, print)
    },
  }
}

/** The newest bar is among those of the last fortnight, or there is none worth showing. */
const FORTNIGHT_NS = 14n * 86_400_000_000_000n

function newest(symbol: Ticker, now: Instant): BarQuery {
  const from = (now - FORTNIGHT_NS) as Instant
  return { symbol, frame: { unit: 'minute', count: 1 }, from, to: now, now, sort: 'desc', limit: 1 }
}

async function pagedBars(tape: Tape | undefined, query: BarQuery): Promise<readonly Bar[]> {
  if (!tape) return []
  const atOnce = BARS_AT_ONCE[query.frame.unit]
  const bars: Bar[] = []
  let part: readonly Bar[]
  do {
    if (bars.length > 0) await setImmediate()
    const last = bars.at(-1)
    const limit = Math.min(atOnce, query.limit - bars.length)
    part = barsOf(tape, TICKS_PER_DOLLAR, { ...query, limit, ...(last && { after: last.start }) })
    bars.push(...part)
  } while (part.length === atOnce && bars.length < query.limit)
  return bars
}

async function pagedTrades(
  tape: Tape | undefined,
  asset: Asset | undefined,
  { from, to, limit }: TradeQuery,
): Promise<readonly Trade[]> {
  if (!tape || !asset) return []
  const trades: Trade[] = []
  let part: readonly Print[]
  let start = microsAfter(from)
  do {
    if (trades.length > 0) await setImmediate()
    part = tape.prints(start, microsBefore(to), Math.min(TRADES_AT_ONCE, limit - trades.length))
    for (const print of part) trades.push(tradeOf(asset, print))
    start = (part.at(-1)?.at ?? start) + 1
  } while (part.length === TRADES_AT_ONCE && trades.length < limit)
  return trades
}

async function findTouch(
  tape: Tape | undefined,
  asset: Asset | undefined,
  boards: ReadonlyMap<Ticker, Board>,
  query: TouchQuery,
): Promise<Instant | undefined> {
  const { symbol, side, price, from, to } = query
  if (!tape || !asset || from > to) return undefined
  const quote = boards.get(symbol)?.quote(from)
  if (quote && (side === 'buy' ? quote.ask <= price : quote.bid >= price)) return from
  const ticks = ticksOf(price, asset.tick, side)
  const end = microsBefore(to)
  for (let start = microsBefore(from); start < end; start += SEARCH_MICROS) {
    const found = tape.touch(side, ticks, start, Math.min(end, start + SEARCH_MICROS))
    if (found !== undefined) return instantOfMicros(found)
    await setImmediate()
  }
  return undefined
}

/** The ticks an ask may cost at most, or a bid must bring at least. */
function ticksOf(price: bigint, tick: Price, side: 'buy' | 'sell'): number {
  return Number(side === 'buy' ? price / tick : (price + tick - 1n) / tick)
}
