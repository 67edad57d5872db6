import {
  type BrokerEvent,
  type Command,
  isMarketChange,
  isOrderEvent,
  nextDue,
  type OrderEvent,
  type Ticker,
} from '@quipu/core'
import { AuctionWatch } from './auction-watch.ts'
import { MarketWatch, type MarketWatchParts } from './market-watch.ts'
import { TradeWatch } from './trade-watch.ts'

export type DriverParts = Omit<MarketWatchParts, 'mark' | 'replan'> & {
  /** Runs the command loop. */
  readonly runDue: () => void
}

/** Finds the next command that is due on the agenda, and the symbols to plan because their orders changed. */
export class Driver {
  readonly #parts: DriverParts
  /** Symbols to plan again, in order. */
  readonly #dirty = new Set<Ticker>()
  /** The three watches: quotes that reach an order, trades that trigger an order, auctions. */
  readonly #quotes: MarketWatch
  readonly #trades: TradeWatch
  readonly #auctions: AuctionWatch

  constructor(parts: DriverParts) {
    this.#parts = parts
    const watching: MarketWatchParts = {
      ...parts,
      mark: (symbol) => this.#dirty.add(symbol),
      replan: (symbol) => {
        this.#dirty.add(symbol)
        parts.runDue()
      },
    }
    this.#quotes = new MarketWatch(watching)
    this.#trades = new TradeWatch(watching)
    this.#auctions = new AuctionWatch(watching)
  }

  get dirty(): ReadonlySet<Ticker> {
    return this.#dirty
  }

  /** The next command of the agenda that is due now. */
  nextDue(): Command | undefined {
    const { engine } = this.#parts
    const { agenda } = engine.view
    return agenda.dues.length > 0 && agenda.dues[0]! <= engine.now ? nextDue(agenda)!.item : undefined
  }

  /** Plans a symbol: submits the quote or trade that reaches an order now, or finds the next moment to check. */
  plan(symbol: Ticker): void {
    this.#dirty.delete(symbol)
    this.#quotes.plan(symbol)
    this.#trades.plan(symbol)
    this.#auctions.plan(symbol)
  }

  /** Marks every symbol that has a waiting order. */
  markAll(): void {
    const { books, triggers, auctions } = this.#parts.engine.view
    for (const waiting of [books, triggers, auctions])
      for (const symbol of waiting.keys()) this.#dirty.add(symbol)
  }

  /** Marks each symbol whose orders changed. After a change of the market, all waiting orders are planned again. */
  note(events: readonly BrokerEvent[]): void {
    let isMarketChanged = false
    for (const event of events)
      if (isOrderEvent(event)) this.#noteOrder(event)
      else if (isMarketChange(event.kind) || event.kind === 'actionApplied') isMarketChanged = true
    if (!isMarketChanged) return
    // Earlier search results are void.
    this.#quotes.forget()
    this.#trades.forget()
    this.markAll()
  }

  stop(): void {
    this.#quotes.forget()
    this.#trades.stop()
    this.#auctions.stop()
  }

  #noteOrder(event: OrderEvent): void {
    if (event.kind === 'orderAccepted') {
      // Some orders wait for a trade as soon as they are accepted.
      if (event.order.trigger) this.#dirty.add(event.order.symbol)
      return
    }
    const symbol = this.#parts.engine.view.orders.get(event.orderId)?.symbol
    // The end of an order frees liquidity; it brings no other order within reach.
    if (symbol && !(ENDS.has(event.kind) && this.#isUpToDate(symbol))) this.#dirty.add(symbol)
  }

  /** Whether the watches of a symbol match its open orders. */
  #isUpToDate(symbol: Ticker): boolean {
    return (
      this.#quotes.isUpToDate(symbol) && this.#trades.isUpToDate(symbol) && this.#auctions.isUpToDate(symbol)
    )
  }
}

const ENDS: ReadonlySet<OrderEvent['kind']> = new Set(['orderCanceled', 'orderExpired', 'orderRejected'])
