import {
  type BarQuery,
  type Frame,
  type HistoryFrame,
  HOUR,
  type Instant,
  isPair,
  type Marks,
  type Price,
  startAt,
  type Ticker,
} from '@quipu/core'
import { barColumns } from '../../market/bar-columns.ts'
import type { MarketSource } from '../../market/market-source.ts'
import type { Repriced } from '../../market/with-actions.ts'
import { isSettled } from '../data/settled.ts'

type Known = { readonly from: Instant; to: Instant; readonly starts: Instant[]; readonly prices: Price[] }

/** Prices that are kept for who asks next, all together. */
const KEPT_MAX = 2_000_000
/** Prices of one symbol that are asked for at a time. */
const BARS_MAX = 100_000

/**
 * The closes of bars, symbol by symbol, as marks of a portfolio. A market whose history stands is asked for each bar
 * once: what is long over is kept.
 */
export class PortfolioMarks {
  readonly #known = new Map<string, Known>()
  readonly #barsMax: number
  #kept = 0

  constructor(barsMax = BARS_MAX) {
    this.#barsMax = barsMax
  }

  /** From one instant on, up to now; the last mark is the last trade. */
  async of(
    market: MarketSource,
    symbol: Ticker,
    frame: HistoryFrame,
    {
      from,
      now,
      repriced = [],
    }: { readonly from: Instant; readonly now: Instant; readonly repriced?: readonly Repriced[] | undefined },
  ): Promise<Marks> {
    const edition = market.edition?.()
    const bars = frameOf(frame, symbol)
    const key = edition === undefined ? undefined : `${edition} ${bars.count}${bars.unit} ${symbol}`
    const kept = key === undefined ? undefined : this.#known.get(key)
    const known =
      kept && kept.from <= from ? kept : { from, to: (from - 1n) as Instant, starts: [], prices: [] }
    const fresh = await closesOf(
      market,
      { symbol, frame: bars, limit: this.#barsMax },
      (known.to + 1n) as Instant,
      now,
    )
    const marks = { from: known.starts.concat(fresh.starts), prices: known.prices.concat(fresh.prices) }
    if (key !== undefined) this.#keep(key, known, fresh, bars, now)
    for (const one of repriced) if (one.moment <= now) reprice(marks, one)
    const last = market.pricesAt(now).trade(symbol)
    if (last) {
      marks.from.push(now)
      marks.prices.push(last.price)
    }
    return marks
  }

  #keep(key: string, known: Known, fresh: Closes, bars: Frame, now: Instant): void {
    if (this.#kept > KEPT_MAX) this.#forget()
    // Who asked at the same time may have kept it already.
    for (const [row, start] of fresh.starts.entries())
      if (start > known.to && isSettled(bars, start, now)) {
        known.starts.push(start)
        known.prices.push(fresh.prices[row]!)
        known.to = start
        this.#kept += 1
      }
    this.#known.set(key, known)
  }

  #forget(): void {
    this.#known.clear()
    this.#kept = 0
  }
}

/** From the moment of a corporate action until the next bar, the close before it counts as the action left it. */
function reprice(marks: { readonly from: Instant[]; readonly prices: Price[] }, { moment, price }: Repriced) {
  const row = marks.from.findLastIndex((start) => start < moment)
  if (row < 0) return
  marks.from.splice(row + 1, 0, moment)
  marks.prices.splice(row + 1, 0, price(marks.prices[row]!))
}

type Closes = { readonly starts: Instant[]; readonly prices: Price[] }

/**
 * Which bars close where windows of a frame end. Coins have days of their own, so their hours are taken; an hour may
 * begin at half past nine.
 */
function frameOf(frame: HistoryFrame, symbol: Ticker): Frame {
  if (frame === 'day') return isPair(symbol) ? { unit: 'hour', count: 1 } : { unit: 'day', count: 1 }
  return { unit: 'minute', count: frame === 60 ? 30 : frame }
}

async function closesOf(
  market: MarketSource,
  asked: Pick<BarQuery, 'symbol' | 'frame' | 'limit'>,
  from: Instant,
  now: Instant,
): Promise<Closes> {
  const closes: Closes = { starts: [], prices: [] }
  if (!market.assets().has(asked.symbol)) return closes
  for (let next = from; next <= now; ) {
    const before = closes.starts.length
    for (const piece of await barColumns(market, { ...asked, from: next, to: now, now, sort: 'asc' }))
      for (let row = 0; row < piece.count; row++) {
        closes.starts.push(startAt(piece, row))
        closes.prices.push(priceOf(piece.close[row]!))
      }
    if (closes.starts.length - before < asked.limit) break
    next = (closes.starts.at(-1)! + 1n) as Instant
  }
  return closes
}

/** How far before the first window a bar may lie that is still its price: over a long weekend. */
export const LOOK_BACK = 120n * HOUR

/** Bars are plain numbers in dollars; to a billionth they are exact. */
const priceOf = (close: number): Price => BigInt(Math.round(close * 1_000_000_000)) as Price
