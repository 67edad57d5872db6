import {
  BOOK_CLASSES,
  type BookClass,
  type BookView,
  type Command,
  type Decision,
  earlier,
  type Instant,
  later,
  MINUTE,
  minuteOf,
  nearestPrice,
  type Price,
  type Side,
  settingsOf,
  type Ticker,
  tradesAt,
  tradingSpan,
  type WorldSettings,
} from '@quipu/core'
import type { WorldClock } from '../../clock/clock.ts'
import type { LiveMarket } from '../../market/live.ts'
import type { MarketSource } from '../../market/market-source.ts'
import type { Engine } from '../engine.ts'

/** How far ahead one search of the market looks. The next search starts there. */
const HORIZON_NS = 6n * 3_600_000_000_000n

type PriceLevel = { readonly kind: BookClass; readonly side: Side; readonly price: Price }
/** The watch of one symbol. `exhausted`: the quote is at the price, but has no size left. */
type Watched = {
  readonly exhausted: boolean
  readonly levels: readonly PriceLevel[]
  readonly cancel: () => void
}

export type MarketWatchParts = {
  readonly engine: Engine
  readonly clock: WorldClock
  readonly market: MarketSource
  /** Decides a command without running the command loop. */
  readonly decide: (command: Command) => Decision
  /** The symbol must be planned again. */
  readonly mark: (symbol: Ticker) => void
  /** For timers and markets: marks the symbol and runs the command loop. */
  readonly replan: (symbol: Ticker) => void
  /** Registers work that must end before the world is quiet. */
  readonly track: (work: Promise<void>) => void
  readonly failed: (error: unknown) => void
}

/**
 * Passes a quote to the engine when the quote reaches an order. It searches only for the next such moment,
 * which may be far in the future.
 */
export class MarketWatch {
  readonly #parts: MarketWatchParts
  readonly #watched = new Map<Ticker, Watched>()

  constructor(parts: MarketWatchParts) {
    this.#parts = parts
  }

  /** Whether the watch matches the order book, and no waiting order is reached. */
  isUpToDate(symbol: Ticker): boolean {
    const watched = this.#watched.get(symbol)
    const book = this.#parts.engine.view.books.get(symbol)
    return (
      watched !== undefined &&
      book !== undefined &&
      !watched.exhausted &&
      areEqual(levelsOf(book), watched.levels)
    )
  }

  /** Fills the orders that the quote reaches now, or finds the next moment at which a quote reaches one. */
  plan(symbol: Ticker): void {
    const { decide, engine, market } = this.#parts
    const book = engine.view.books.get(symbol)
    if (!book) return
    const levels = levelsOf(book)
    const settings = settingsOf(engine.view)
    const reachedNow = isReached(levels, { settings, market, symbol, at: engine.now })
    if (reachedNow) {
      const decision = decide({ kind: 'observeQuote', symbol })
      if (decision.ok && decision.value.length > 0) return
    }
    // An order behind the best one does not change the next moment to check the market.
    const watched = this.#watched.get(symbol)
    if (watched && watched.exhausted === reachedNow && areEqual(levels, watched.levels)) return
    watched?.cancel()
    this.#watched.delete(symbol)
    if (levels.length === 0) return
    const { live } = market
    if (live) this.#await(live, symbol, reachedNow, levels)
    else this.#search(symbol, reachedNow, levels)
  }

  /** A live market is checked when it publishes something, and when a session begins or ends. */
  #await(live: LiveMarket, symbol: Ticker, exhausted: boolean, levels: readonly PriceLevel[]): void {
    const { engine, clock, replan } = this.#parts
    const settings = settingsOf(engine.view)
    const from = later(engine.now, 1n)
    const cancels = [live.watch(symbol, () => replan(symbol))]
    const cancel = () => {
      for (const each of cancels) each()
    }
    const planAgain = () => {
      cancel()
      this.#watched.delete(symbol)
      replan(symbol)
    }
    for (const kind of new Set(levels.map((want) => want.kind))) {
      const span = tradingSpan(settings, kind, from)
      const turn = span.from > from ? span.from : span.to
      if (turn !== undefined) cancels.push(clock.timer(turn, 'market', planAgain))
    }
    this.#watched.set(symbol, { exhausted, levels, cancel })
  }

  /** The search may take a while (disk, network). A newer plan for the symbol cancels it. */
  #search(symbol: Ticker, exhausted: boolean, levels: readonly PriceLevel[]): void {
    let current = true
    const from = later(this.#parts.engine.now, 1n)
    const horizon = later(from, HORIZON_NS)
    this.#watched.set(symbol, { exhausted, levels, cancel: () => (current = false) })
    const found = exhausted
      ? this.#nextSize(symbol, from, horizon)
      : this.#nextTouch(symbol, levels, from, horizon)
    const search = found
      .then((found) => {
        if (!current) return
        const cancel = this.#parts.clock.timer(found ?? horizon, 'market', () => {
          this.#watched.delete(symbol)
          this.#parts.replan(symbol)
        })
        this.#watched.set(symbol, { exhausted, levels, cancel })
      })
      .catch(this.#parts.failed)
    this.#parts.track(search)
  }

  /** When an order that the quote reaches can fill again: at the next quote, or with the volume of the next minute. */
  async #nextSize(symbol: Ticker, from: Instant, horizon: Instant): Promise<Instant | undefined> {
    const { engine, market } = this.#parts
    const { fillSize, venue } = settingsOf(engine.view)
    const waitsForVolume = venue?.participation !== undefined && fillSize === 'unlimited'
    return waitsForVolume ? later(minuteOf(from), MINUTE) : market.schedule.nextQuote(symbol, from, horizon)
  }

  async #nextTouch(
    symbol: Ticker,
    levels: readonly PriceLevel[],
    from: Instant,
    horizon: Instant,
  ): Promise<Instant | undefined> {
    const settings = settingsOf(this.#parts.engine.view)
    let first: Instant | undefined
    for (const { kind, side, price } of levels) {
      const span = tradingSpan(settings, kind, from)
      const end = span.to === undefined || span.to > horizon ? horizon : earlier(span.to, 1n)
      const to = first !== undefined && first < end ? first : end
      if (span.from > to) continue
      const found = await this.#parts.market.schedule.nextTouch({ symbol, side, price, from: span.from, to })
      if (found !== undefined) first = found
    }
    return first
  }

  /** Cancels all searches and timers. */
  forget(): void {
    for (const { cancel } of this.#watched.values()) cancel()
    this.#watched.clear()
  }
}

const SIDES = ['buy', 'sell'] as const

/** The best price on each side that an order waits for, by class. */
function levelsOf(book: BookView): readonly PriceLevel[] {
  const levels: PriceLevel[] = []
  for (const kind of BOOK_CLASSES)
    for (const side of SIDES) {
      const price = nearestPrice(book[kind][side], side)
      if (price !== undefined) levels.push({ kind, side, price })
    }
  return levels
}

const areEqual = (levels: readonly PriceLevel[], others: readonly PriceLevel[]): boolean =>
  levels.length === others.length &&
  levels.every(({ kind, side, price }, index) => {
    const other = others[index]!
    return other.kind === kind && other.side === side && other.price === price
  })

type QuoteCheck = {
  readonly settings: WorldSettings
  readonly market: MarketSource
  readonly symbol: Ticker
  readonly at: Instant
}

/** Whether the quote of an instant reaches a level. */
function isReached(levels: readonly PriceLevel[], { settings, market, symbol, at }: QuoteCheck): boolean {
  for (const { kind, side, price } of levels) {
    const quote = tradesAt(settings, kind, at) ? market.pricesAt(at).quote(symbol) : undefined
    if (quote && (side === 'buy' ? price >= quote.ask : price <= quote.bid)) return true
  }
  return false
}
