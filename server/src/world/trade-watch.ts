import {
  type Instant,
  type LastTrade,
  settingsOf,
  type Ticker,
  type TradeWant,
  tradeWantsOf,
  tradingSpan,
} from '@quipu/core'
import type { LiveMarket } from '../market/live.ts'
import type { MarketWatchParts } from './market-watch.ts'

/** How far ahead the tape is searched at a time; then it is searched again. */
const HORIZON_NS = 6n * 3_600_000_000_000n

/** What the tape is watched for, for one symbol, and the trade that was found, if the search is over. */
type Watched = {
  readonly wants: readonly TradeWant[]
  readonly trade?: LastTrade | undefined
  readonly cancel: () => void
}

const NOBODY: readonly TradeWant[] = []

/** Brings a trade to the engine when it elects a stop, or when a trailing one follows it; no other trade is looked at. */
export class TradeWatch {
  readonly #parts: MarketWatchParts
  readonly #watched = new Map<Ticker, Watched>()

  constructor(parts: MarketWatchParts) {
    this.#parts = parts
  }

  /** Whether the tape is watched for what is wanted. */
  isUnmoved(symbol: Ticker): boolean {
    if (this.#watched.size === 0 && this.#parts.engine.view.triggers.size === 0) return true
    return areSame(this.#watched.get(symbol)?.wants ?? NOBODY, this.#wantsOf(symbol))
  }

  /** Finds out which trade is waited for next. What was traded before nobody waits for. */
  plan(symbol: Ticker): void {
    const { engine, market } = this.#parts
    if (this.#watched.size === 0 && engine.view.triggers.size === 0) return
    const watched = this.#watched.get(symbol)
    if (!watched && !engine.view.triggers.has(symbol)) return
    if (watched?.trade && watched.trade.at <= engine.now) return this.#bring(symbol, watched.trade)
    const wants = this.#wantsOf(symbol)
    if (areSame(watched?.wants ?? NOBODY, wants)) return
    watched?.cancel()
    this.#watched.delete(symbol)
    if (wants.length === 0) return
    if (market.live) this.#await(market.live, symbol, wants)
    else this.#search(symbol, wants)
  }

  /** What was found out is not waited for any more, but for trades that were already: those are only late. */
  forget(): void {
    const { now } = this.#parts.engine
    for (const [symbol, { trade, cancel }] of this.#watched) {
      if (trade && trade.at <= now) continue
      cancel()
      this.#watched.delete(symbol)
    }
  }

  stop(): void {
    for (const { cancel } of this.#watched.values()) cancel()
    this.#watched.clear()
  }

  #wantsOf(symbol: Ticker): readonly TradeWant[] {
    const triggers = this.#parts.engine.view.triggers.get(symbol)
    return triggers ? tradeWantsOf(triggers) : NOBODY
  }

  #bring(symbol: Ticker, trade: LastTrade): void {
    this.#watched.get(symbol)?.cancel()
    this.#watched.delete(symbol)
    this.#parts.engine.drive({ kind: 'observeTrade', symbol, trade })
    this.#parts.reached(symbol)
  }

  #await(live: LiveMarket, symbol: Ticker, wants: readonly TradeWant[]): void {
    const { engine, market, reached } = this.#parts
    const cancel = live.watch(symbol, () => {
      const trade = market.pricesAt(engine.now).trade(symbol)
      if (!trade || !wants.some((want) => reaches(want, trade))) return
      engine.drive({ kind: 'observeTrade', symbol })
      reached(symbol)
    })
    this.#watched.set(symbol, { wants, cancel })
  }

  /** The search may take a while (a disk, a network); a newer plan for the symbol makes its finding void. */
  #search(symbol: Ticker, wants: readonly TradeWant[]): void {
    const { clock, engine, failed, reached, underWay } = this.#parts
    let current = true
    const from = (engine.now + 1n) as Instant
    const horizon = (from + HORIZON_NS) as Instant
    this.#watched.set(symbol, { wants, cancel: () => (current = false) })
    const search = this.#next(symbol, wants, from, horizon)
      .then((trade) => {
        if (!current) return
        const cancel = clock.timer(trade?.at ?? horizon, 'trade', () => {
          if (trade) return this.#bring(symbol, trade)
          this.#watched.delete(symbol)
          reached(symbol)
        })
        this.#watched.set(symbol, { wants, trade, cancel })
      })
      .catch(failed)
    underWay(search)
  }

  /** The first trade that anyone waits for, each in the hours in which it counts. */
  async #next(
    symbol: Ticker,
    wants: readonly TradeWant[],
    from: Instant,
    horizon: Instant,
  ): Promise<LastTrade | undefined> {
    const { engine, market } = this.#parts
    const settings = settingsOf(engine.view)
    let first: LastTrade | undefined
    for (const { kind, direction, price } of wants) {
      const span = tradingSpan(settings, kind, from)
      const end = span.to === undefined || span.to > horizon ? horizon : ((span.to - 1n) as Instant)
      const to = first && first.at < end ? ((first.at - 1n) as Instant) : end
      if (span.from > to) continue
      first = (await market.nextTrade({ symbol, direction, price, from: span.from, to })) ?? first
    }
    return first
  }
}

const reaches = ({ direction, price }: TradeWant, trade: LastTrade): boolean =>
  direction === 'rise' ? trade.price >= price : trade.price <= price

const areSame = (some: readonly TradeWant[], others: readonly TradeWant[]): boolean =>
  some.length === others.length &&
  some.every((want, at) => {
    const other = others[at]!
    return want.price === other.price && want.direction === other.direction && want.kind === other.kind
  })
