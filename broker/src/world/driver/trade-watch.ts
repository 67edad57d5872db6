import {
  earlier,
  type Instant,
  itemAt,
  type LastTrade,
  later,
  settingsOf,
  type Ticker,
  type TradeCondition,
  tradeConditionsOf,
  tradingSpan,
} from '@quipu/core'
import type { LiveMarket } from '../../market/live.ts'
import type { MarketWatchParts } from './market-watch.ts'

/** How far ahead one search of the trades looks. The next search starts there. */
const HORIZON_NS = 6n * 3_600_000_000_000n

/** The trade conditions of one symbol, and the trade that the search found, if it has ended. */
type Watched = {
  readonly conditions: readonly TradeCondition[]
  readonly trade?: LastTrade | undefined
  readonly cancel: () => void
}

const NONE: readonly TradeCondition[] = []

/** Passes a trade to the engine when it triggers a stop or moves a trailing stop. Other trades are not read. */
export class TradeWatch {
  readonly #parts: MarketWatchParts
  readonly #watched = new Map<Ticker, Watched>()

  constructor(parts: MarketWatchParts) {
    this.#parts = parts
  }

  /** Whether the watch matches the waiting orders. */
  isUpToDate(symbol: Ticker): boolean {
    if (this.#watched.size === 0 && this.#parts.engine.view.triggers.size === 0) return true
    return areSame(this.#watched.get(symbol)?.conditions ?? NONE, this.#conditionsOf(symbol))
  }

  /** Finds the next trade that an order waits for. Earlier trades do not count. */
  plan(symbol: Ticker): void {
    const { engine, mark, market } = this.#parts
    if (this.#watched.size === 0 && engine.view.triggers.size === 0) return
    const watched = this.#watched.get(symbol)
    if (!watched && !engine.view.triggers.has(symbol)) return
    if (watched?.trade && watched.trade.at <= engine.now) {
      this.#observe(symbol, watched.trade)
      return mark(symbol)
    }
    const conditions = this.#conditionsOf(symbol)
    if (areSame(watched?.conditions ?? NONE, conditions)) return
    watched?.cancel()
    this.#watched.delete(symbol)
    if (conditions.length === 0) return
    if (market.live) this.#await(market.live, symbol, conditions)
    else this.#search(symbol, conditions)
  }

  /** Cancels all searches and timers, except for trades that have happened and are only late. */
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

  #conditionsOf(symbol: Ticker): readonly TradeCondition[] {
    const triggers = this.#parts.engine.view.triggers.get(symbol)
    return triggers ? tradeConditionsOf(triggers) : NONE
  }

  #observe(symbol: Ticker, trade: LastTrade): void {
    this.#watched.get(symbol)?.cancel()
    this.#watched.delete(symbol)
    this.#parts.decide({ kind: 'observeTrade', symbol, trade })
  }

  #await(live: LiveMarket, symbol: Ticker, conditions: readonly TradeCondition[]): void {
    const { decide, engine, market, replan } = this.#parts
    const cancel = live.watch(symbol, () => {
      const trade = market.pricesAt(engine.now).trade(symbol)
      if (!trade || !conditions.some((condition) => reaches(condition, trade))) return
      decide({ kind: 'observeTrade', symbol })
      replan(symbol)
    })
    this.#watched.set(symbol, { conditions, cancel })
  }

  /** The search may take a while (disk, network). A newer plan for the symbol cancels it. */
  #search(symbol: Ticker, conditions: readonly TradeCondition[]): void {
    const { clock, engine, failed, replan, track } = this.#parts
    let current = true
    const from = later(engine.now, 1n)
    const horizon = later(from, HORIZON_NS)
    this.#watched.set(symbol, { conditions, cancel: () => (current = false) })
    const search = this.#next(symbol, conditions, from, horizon)
      .then((trade) => {
        if (!current) return
        const cancel = clock.timer(trade?.at ?? horizon, 'trade', () => {
          if (trade) this.#observe(symbol, trade)
          else this.#watched.delete(symbol)
          replan(symbol)
        })
        this.#watched.set(symbol, { conditions, trade, cancel })
      })
      .catch(failed)
    track(search)
  }

  /** The first trade that any order waits for, each within its trading hours. */
  async #next(
    symbol: Ticker,
    conditions: readonly TradeCondition[],
    from: Instant,
    horizon: Instant,
  ): Promise<LastTrade | undefined> {
    const { engine, market } = this.#parts
    const settings = settingsOf(engine.view)
    let first: LastTrade | undefined
    for (const { kind, direction, price } of conditions) {
      const span = tradingSpan(settings, kind, from)
      const end = span.to === undefined || span.to > horizon ? horizon : earlier(span.to, 1n)
      const to = first && first.at < end ? earlier(first.at, 1n) : end
      if (span.from > to) continue
      first = (await market.schedule.nextTrade({ symbol, direction, price, from: span.from, to })) ?? first
    }
    return first
  }
}

const reaches = ({ direction, price }: TradeCondition, trade: LastTrade): boolean =>
  direction === 'rise' ? trade.price >= price : trade.price <= price

const areSame = (some: readonly TradeCondition[], others: readonly TradeCondition[]): boolean =>
  some.length === others.length &&
  some.every((condition, at) => {
    const other = itemAt(others, at)
    return (
      condition.price === other.price &&
      condition.direction === other.direction &&
      condition.kind === other.kind
    )
  })
