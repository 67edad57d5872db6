import {
  BOOK_CLASSES,
  type BookClass,
  type BookView,
  type Instant,
  nearest,
  type Price,
  type Side,
  type SidesView,
  settingsOf,
  type Ticker,
  tradesAt,
  tradingSpan,
  type WorldSettings,
} from '@quipu/core'
import type { WorldClock } from '../clock/clock.ts'
import type { LiveMarket } from '../market/live.ts'
import type { MarketSource } from '../market/market-source.ts'
import type { Engine } from './engine.ts'

/** How far ahead the market is searched at a time; then it is searched again. */
const HORIZON_NS = 6n * 3_600_000_000_000n

type Want = { readonly kind: BookClass; readonly side: Side; readonly price: Price }
/** What the market is watched for, for one symbol. `exhausted`: it is there, and its quote has nothing left to give. */
type Touch = { readonly exhausted: boolean; readonly wants: readonly Want[]; readonly cancel: () => void }

export type MarketWatchParts = {
  readonly engine: Engine
  readonly clock: WorldClock
  readonly market: MarketSource
  /** The market may have reached someone who waits for a symbol: it must be planned anew. */
  readonly reached: (symbol: Ticker) => void
  /** Work that must end before the world is quiet. */
  readonly underWay: (work: Promise<void>) => void
  readonly failed: (error: unknown) => void
}

/**
 * What the market reaches: brings a quote to the engine when it meets an order. It asks the market only for the next
 * moment that matters, however far off.
 */
export class MarketWatch {
  readonly #parts: MarketWatchParts
  readonly #touches = new Map<Ticker, Touch>()

  constructor(parts: MarketWatchParts) {
    this.#parts = parts
  }

  /** Whether the market is watched for what is wanted, and there is nobody whom it has reached. */
  isUnmoved(symbol: Ticker): boolean {
    const touch = this.#touches.get(symbol)
    const book = this.#parts.engine.view.books.get(symbol)
    return touch !== undefined && book !== undefined && !touch.exhausted && isStill(book, touch.wants)
  }

  /** Fills what the quote reaches now, or finds out when it will reach someone next. */
  plan(symbol: Ticker): void {
    const { engine, market } = this.#parts
    const book = engine.view.books.get(symbol)
    if (!book) return
    const settings = settingsOf(engine.view)
    const reachedNow = isReached(book, { settings, market, symbol, at: engine.now })
    if (reachedNow) {
      const decision = engine.drive({ kind: 'observeQuote', symbol })
      if (decision.ok && decision.value.length > 0) return
    }
    // Another order behind the nearest one changes nothing about when the market must be looked at.
    const touch = this.#touches.get(symbol)
    if (touch && touch.exhausted === reachedNow && isStill(book, touch.wants)) return
    touch?.cancel()
    this.#touches.delete(symbol)
    const wants = wantsOf(book)
    if (wants.length === 0) return
    const { live } = market
    if (live) this.#await(live, symbol, reachedNow, wants)
    else this.#search(symbol, reachedNow, wants)
  }

  /** A market that cannot be foreseen is looked at when it tells something, and when a session begins or ends. */
  #await(live: LiveMarket, symbol: Ticker, exhausted: boolean, wants: readonly Want[]): void {
    const { engine, clock, reached } = this.#parts
    const settings = settingsOf(engine.view)
    const from = (engine.now + 1n) as Instant
    const cancels = [live.watch(symbol, () => reached(symbol))]
    const cancel = () => {
      for (const each of cancels) each()
    }
    const planAnew = () => {
      cancel()
      this.#touches.delete(symbol)
      reached(symbol)
    }
    for (const kind of new Set(wants.map((want) => want.kind))) {
      const span = tradingSpan(settings, kind, from)
      const turn = span.from > from ? span.from : span.to
      if (turn !== undefined) cancels.push(clock.timer(turn, 'market', planAnew))
    }
    this.#touches.set(symbol, { exhausted, wants, cancel })
  }

  /** The search may take a while (a disk, a network); a newer plan for the symbol makes its finding void. */
  #search(symbol: Ticker, exhausted: boolean, wants: readonly Want[]): void {
    let current = true
    const from = (this.#parts.engine.now + 1n) as Instant
    const horizon = (from + HORIZON_NS) as Instant
    this.#touches.set(symbol, { exhausted, wants, cancel: () => (current = false) })
    const found = exhausted
      ? this.#parts.market.nextQuote(symbol, from, horizon)
      : this.#nextTouch(symbol, wants, from, horizon)
    const search = found
      .then((touch) => {
        if (!current) return
        const cancel = this.#parts.clock.timer(touch ?? horizon, 'market', () => {
          this.#touches.delete(symbol)
          this.#parts.reached(symbol)
        })
        this.#touches.set(symbol, { exhausted, wants, cancel })
      })
      .catch(this.#parts.failed)
    this.#parts.underWay(search)
  }

  async #nextTouch(
    symbol: Ticker,
    wants: readonly Want[],
    from: Instant,
    horizon: Instant,
  ): Promise<Instant | undefined> {
    const settings = settingsOf(this.#parts.engine.view)
    let first: Instant | undefined
    for (const { kind, side, price } of wants) {
      const span = tradingSpan(settings, kind, from)
      const end = span.to === undefined || span.to > horizon ? horizon : ((span.to - 1n) as Instant)
      const to = first !== undefined && first < end ? first : end
      if (span.from > to) continue
      const touch = await this.#parts.market.nextTouch({ symbol, side, price, from: span.from, to })
      if (touch !== undefined) first = touch
    }
    return first
  }

  /** What was found out is not waited for any more. */
  forget(): void {
    for (const { cancel } of this.#touches.values()) cancel()
    this.#touches.clear()
  }
}

const SIDES = ['buy', 'sell'] as const

/** The nearest price on each side that someone waits for, by class. */
function wantsOf(book: BookView): readonly Want[] {
  const wants: Want[] = []
  for (const kind of BOOK_CLASSES)
    for (const side of SIDES) {
      const price = nearest(book[kind][side], side)
      if (price !== undefined) wants.push({ kind, side, price })
    }
  return wants
}

/**
 * Whether these are still the wants of a book. It is asked after every turn: it makes nothing, and names the classes
 * instead of looking them up.
 */
function isStill(book: BookView, wants: readonly Want[]): boolean {
  let count = stillWanted(book.regular, 'regular', wants, 0)
  if (count >= 0) count = stillWanted(book.extended, 'extended', wants, count)
  if (count >= 0) count = stillWanted(book.pair, 'pair', wants, count)
  return count === wants.length
}

/** How many of the wants are met with once a class is looked at; less than none where it has another. */
function stillWanted({ buy, sell }: SidesView, kind: BookClass, wants: readonly Want[], at: number): number {
  let next = at
  if (buy.prices.length > 0) {
    const want = wants[next++]
    if (!want || want.price !== nearest(buy, 'buy') || want.side !== 'buy' || want.kind !== kind) return -1
  }
  if (sell.prices.length > 0) {
    const want = wants[next++]
    if (!want || want.price !== nearest(sell, 'sell') || want.side !== 'sell' || want.kind !== kind) return -1
  }
  return next
}

type Looking = {
  readonly settings: WorldSettings
  readonly market: MarketSource
  readonly symbol: Ticker
  readonly at: Instant
}

/** Whether the quote of an instant reaches one of those who wait. */
const isReached = (book: BookView, looking: Looking): boolean =>
  isReachedIn(book.regular, 'regular', looking) ||
  isReachedIn(book.extended, 'extended', looking) ||
  isReachedIn(book.pair, 'pair', looking)

function isReachedIn({ buy, sell }: SidesView, kind: BookClass, looking: Looking): boolean {
  if (buy.prices.length === 0 && sell.prices.length === 0) return false
  const { settings, market, symbol, at } = looking
  if (!tradesAt(settings, kind, at)) return false
  const quote = market.pricesAt(at).quote(symbol)
  if (!quote) return false
  const [highest, lowest] = [nearest(buy, 'buy'), nearest(sell, 'sell')]
  return (highest !== undefined && highest >= quote.ask) || (lowest !== undefined && lowest <= quote.bid)
}
