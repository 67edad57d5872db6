import type { MarketSource } from '@quipu/broker/market/market-source.ts'
import type { Repriced } from '@quipu/broker/market/with-actions.ts'
import {
  type BarFrame,
  type BarQuery,
  earlier,
  type HistoryFrame,
  HOUR,
  type Instant,
  isPair,
  itemAt,
  lastOf,
  later,
  type Marks,
  type Price,
  startAt,
  type Ticker,
  toPrice,
} from '@quipu/core'
import { isSettled } from '../data/settled.ts'

type CachedMarks = {
  readonly from: Instant
  to: Instant
  readonly starts: Instant[]
  readonly prices: Price[]
}

type MarksOf = {
  readonly from: Instant
  readonly now: Instant
  readonly repriced?: readonly Repriced[] | undefined
}

/** Cached prices of all symbols together. */
const CACHED_MAX = 2_000_000
/** Prices of one symbol per query. */
const BARS_MAX = 100_000

/**
 * The closes of bars by symbol, as marks of a portfolio. Bars that no longer change are cached, if the market has a
 * fixed history.
 */
export class PortfolioMarks {
  readonly #cache = new Map<string, CachedMarks>()
  readonly #barsMax: number
  #cachedPrices = 0

  constructor(barsMax = BARS_MAX) {
    this.#barsMax = barsMax
  }

  /** The marks that an amount at an instant and later ones need: those since, and at least one before. */
  async since(
    market: MarketSource,
    symbol: Ticker,
    frame: HistoryFrame,
    { first, now, repriced }: { readonly first: Instant } & Omit<MarksOf, 'from'>,
  ): Promise<Marks> {
    const read = (age: bigint) => this.of(market, symbol, frame, { from: earlier(first, age), now, repriced })
    // Five days of minutes are thousands of bars, and most symbols traded in the last hour.
    const near = frame === 'day' ? undefined : await read(NEAR)
    const [oldest] = near?.from ?? []
    return near !== undefined && oldest !== undefined && oldest < first ? near : read(LOOK_BACK)
  }

  /** The marks from an instant until now; the last mark is the last trade. */
  async of(
    market: MarketSource,
    symbol: Ticker,
    frame: HistoryFrame,
    { from, now, repriced = [] }: MarksOf,
  ): Promise<Marks> {
    const { edition } = market.history
    const bars = frameOf(frame, symbol)
    const key = edition === undefined ? undefined : `${edition} ${bars.count}${bars.unit} ${symbol}`
    const stored = key === undefined ? undefined : this.#cache.get(key)
    const cached =
      stored && stored.from <= from ? stored : { from, to: earlier(from, 1n), starts: [], prices: [] }
    // An earlier instant than that of the cache knows fewer bars.
    const isKnown = cached.to < cached.from || isSettled(bars, cached.to, now)
    const count = isKnown
      ? cached.starts.length
      : cached.starts.findLastIndex((start) => isSettled(bars, start, now)) + 1
    const known = isKnown ? cached.to : (cached.starts[count - 1] ?? earlier(cached.from, 1n))
    const query = { symbol, frame: bars, limit: this.#barsMax }
    const fresh = await closesOf(market, query, later(known, 1n), now)
    const marks = {
      from: cached.starts.slice(0, count).concat(fresh.starts),
      prices: cached.prices.slice(0, count).concat(fresh.prices),
    }
    if (key !== undefined) this.#store(key, cached, fresh, bars, now)
    for (const one of repriced) if (one.moment <= now) reprice(marks, one)
    const last = market.pricesAt(now).trade(symbol)
    if (last) {
      marks.from.push(now)
      marks.prices.push(last.price)
    }
    return marks
  }

  #store(key: string, cached: CachedMarks, fresh: Closes, bars: BarFrame, now: Instant): void {
    if (this.#cachedPrices > CACHED_MAX) this.#clear()
    // A concurrent request may have stored them already.
    for (const [row, start] of fresh.starts.entries())
      if (start > cached.to && isSettled(bars, start, now)) {
        cached.starts.push(start)
        cached.prices.push(itemAt(fresh.prices, row))
        cached.to = start
        this.#cachedPrices += 1
      }
    this.#cache.set(key, cached)
  }

  #clear(): void {
    this.#cache.clear()
    this.#cachedPrices = 0
  }
}

/** Adjusts the previous close for a corporate action, from the action until the next bar. */
function reprice(marks: { readonly from: Instant[]; readonly prices: Price[] }, { moment, price }: Repriced) {
  const row = marks.from.findLastIndex((start) => start < moment)
  if (row < 0) return
  marks.from.splice(row + 1, 0, moment)
  marks.prices.splice(row + 1, 0, price(itemAt(marks.prices, row)))
}

type Closes = { readonly starts: Instant[]; readonly prices: Price[] }

/**
 * The bars that close where the windows of a frame end. Days of coins end at another time, so their days use hours.
 * Hours may begin at 9:30, so they use half hours.
 */
function frameOf(frame: HistoryFrame, symbol: Ticker): BarFrame {
  if (frame === 'day') return isPair(symbol) ? { unit: 'hour', count: 1 } : { unit: 'day', count: 1 }
  return { unit: 'minute', count: frame === 60 ? 30 : frame }
}

async function closesOf(
  market: MarketSource,
  query: Pick<BarQuery, 'symbol' | 'frame' | 'limit'>,
  from: Instant,
  now: Instant,
): Promise<Closes> {
  const closes: Closes = { starts: [], prices: [] }
  if (!market.assets().has(query.symbol)) return closes
  for (let next = from; next <= now; ) {
    const before = closes.starts.length
    for (const piece of await market.history.barColumns({ ...query, from: next, to: now, now, sort: 'asc' }))
      for (let row = 0; row < piece.count; row++) {
        closes.starts.push(startAt(piece, row))
        closes.prices.push(priceOf(itemAt(piece.close, row)))
      }
    if (closes.starts.length - before < query.limit) break
    next = later(lastOf(closes.starts), 1n)
  }
  return closes
}

/** The maximum age of a bar that still gives the price of the first window: a long weekend. */
export const LOOK_BACK = 120n * HOUR

const NEAR = HOUR

/** Bars are dollars, exact to a billionth. */
const priceOf = (close: number): Price => toPrice(BigInt(Math.round(close * 1_000_000_000)))
