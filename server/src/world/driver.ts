import { type BrokerEvent, type Instant, type JobId, nextDue, type OrderId, type Ticker } from '@quipu/core'
import type { WorldClock } from '../clock/clock.ts'
import type { MarketSource } from '../market/market-source.ts'
import { AuctionWatch } from './auction-watch.ts'
import type { Engine } from './engine.ts'
import { MarketWatch, type MarketWatchParts } from './market-watch.ts'
import { TradeWatch } from './trade-watch.ts'

/** Number of steps (a few milliseconds) before other worlds get a turn. */
const BATCH_STEPS = 64

export type DriverParts = {
  readonly engine: Engine
  readonly clock: WorldClock
  readonly market: MarketSource
  readonly runJob: (jobId: JobId) => Promise<void>
  readonly failed: (error: unknown) => void
}

/** Submits the commands that come due on the agenda, and checks the market for symbols whose orders changed. */
export class Driver {
  readonly #parts: DriverParts
  /** Symbols to plan again, in order. There is nearly always one, so the first needs no set. */
  #dirty: Ticker | undefined
  readonly #moreDirty = new Set<Ticker>()
  /** The three watches: quotes that reach an order, trades that trigger an order, auctions. */
  readonly #quotes: MarketWatch
  readonly #trades: TradeWatch
  readonly #auctions: AuctionWatch
  readonly #pending = new Set<Promise<void>>()
  #running = false
  #rerun = false
  /** Steps left before other worlds get a turn. */
  #stepsLeft = 0
  #continuing: Promise<void> | undefined
  #alarm: { readonly due: Instant; readonly cancel: () => void } | undefined
  #stopped = false

  constructor(parts: DriverParts) {
    this.#parts = parts
    const watching: MarketWatchParts = {
      ...parts,
      replan: (symbol) => {
        this.#mark(symbol)
        this.wake()
      },
      track: (work) => this.#track(work),
    }
    this.#quotes = new MarketWatch(watching)
    this.#trades = new TradeWatch(watching)
    this.#auctions = new AuctionWatch(watching)
  }

  /** Takes over a world in any state: runs overdue commands first, then plans for every waiting order. */
  start(): void {
    const { books, triggers, auctions } = this.#parts.engine.view
    for (const waiting of [books, triggers, auctions]) for (const symbol of waiting.keys()) this.#mark(symbol)
    this.wake()
  }

  /** Plans again for each symbol whose orders changed. */
  changed(events: readonly BrokerEvent[]): void {
    let isMarketChanged = false
    for (const event of events) if (this.#isMarketChange(event)) isMarketChanged = true
    this.wake()
    if (isMarketChanged) this.marketChanged()
  }

  /** The market is a different one now: earlier search results are void, and all waiting orders are planned again. */
  marketChanged(): void {
    this.#quotes.forget()
    this.#trades.forget()
    this.start()
  }

  /** Returns whether the event changes the market. */
  #isMarketChange(event: BrokerEvent): boolean {
    switch (event.kind) {
      case 'orderAccepted':
        // Some orders wait for a trade as soon as they are accepted.
        if (event.order.trigger) this.#mark(event.order.symbol)
        return false
      case 'orderFilled':
        this.#mark(event.symbol)
        return false
      case 'orderCanceled':
      case 'orderExpired': {
        // The end of an order frees liquidity; it brings no other order within reach.
        const symbol = this.#symbolOf(event.orderId)
        if (symbol && !this.#isUpToDate(symbol)) this.#mark(symbol)
        return false
      }
      case 'symbolAdded':
      case 'marketEventAdded':
      case 'importedDataUsed':
      case 'actionScheduled':
      case 'actionCanceled':
      case 'actionApplied':
        return true
      default: {
        const symbol = 'orderId' in event && this.#symbolOf(event.orderId)
        if (symbol) this.#mark(symbol)
        return false
      }
    }
  }

  #symbolOf(orderId: OrderId): Ticker | undefined {
    return this.#parts.engine.view.orders.get(orderId)?.symbol
  }

  /** Whether the watches of a symbol match its open orders. */
  #isUpToDate(symbol: Ticker): boolean {
    return (
      this.#quotes.isUpToDate(symbol) && this.#trades.isUpToDate(symbol) && this.#auctions.isUpToDate(symbol)
    )
  }

  /** More commands are due than one batch runs. */
  get isBehind(): boolean {
    return this.#continuing !== undefined
  }

  /** Resolves when no overdue command is left. */
  async caughtUp(): Promise<void> {
    while (this.#continuing) await this.#continuing
  }

  /**
   * Runs the commands that are due now. A nested call only requests another pass. When many commands are due, such as
   * the day orders of a whole market, other worlds get turns in between.
   */
  wake(): void {
    if (this.#stopped || this.#continuing) return
    if (this.#running) {
      this.#rerun = true
      return
    }
    this.#running = true
    this.#stepsLeft = BATCH_STEPS
    try {
      do {
        this.#runDue()
        // Commands that these commands caused have run by now, or are on the agenda.
        this.#rerun = false
        this.#planDirty()
      } while (this.#stepsLeft > 0 && (this.#rerun || this.#isDirty))
    } catch (error) {
      // The command that led to this call succeeded; a failure here must not change its response.
      this.#parts.failed(error)
    } finally {
      this.#running = false
    }
    if (this.#stepsLeft > 0) this.#setAlarm()
    else this.#continueLater()
  }

  /** Resolves when no job runs and no market search is pending. */
  async quiet(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending)
  }

  stop(): void {
    this.#stopped = true
    this.#alarm?.cancel()
    this.#quotes.forget()
    this.#trades.stop()
    this.#auctions.stop()
  }

  #runDue(): void {
    const { engine } = this.#parts
    const { agenda } = engine.view
    while (this.#stepsLeft > 0 && agenda.dues.length > 0 && agenda.dues[0]! <= engine.now) {
      const next = nextDue(agenda)!
      const { seq } = engine.view
      this.#stepsLeft -= 1
      engine.submitInternal(next.item)
      if (engine.view.seq === seq) throw new Error(`bug: ${next.item.kind} came due and changed nothing`)
      if (next.item.kind === 'runJob') this.#startJob(next.item.jobId)
    }
  }

  #mark(symbol: Ticker): void {
    if (this.#dirty === symbol) return
    if (this.#dirty === undefined && this.#moreDirty.size === 0) this.#dirty = symbol
    else this.#moreDirty.add(symbol)
  }

  #planDirty(): void {
    while (this.#stepsLeft > 0) {
      const symbol = this.#takeDirty()
      if (symbol === undefined) return
      this.#stepsLeft -= 1
      this.#quotes.plan(symbol)
      this.#trades.plan(symbol)
      this.#auctions.plan(symbol)
    }
  }

  #takeDirty(): Ticker | undefined {
    const first = this.#dirty
    this.#dirty = undefined
    if (first !== undefined || this.#moreDirty.size === 0) return first
    for (const symbol of this.#moreDirty) {
      this.#moreDirty.delete(symbol)
      return symbol
    }
    return undefined
  }

  get #isDirty(): boolean {
    return this.#dirty !== undefined || this.#moreDirty.size > 0
  }

  #continueLater(): void {
    const rest = new Promise<void>((resume) => setImmediate(resume)).then(() => {
      this.#continuing = undefined
      this.wake()
      this.#pending.delete(rest)
    })
    this.#continuing = rest
    this.#pending.add(rest)
  }

  /** The attempt is stored before the job runs. */
  #startJob(jobId: JobId): void {
    const { engine, runJob, failed } = this.#parts
    const running = engine
      .untilDurable(engine.view.seq)
      .then(() => runJob(jobId))
      .catch(failed)
    this.#track(running)
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#pending.delete(tracked))
    this.#pending.add(tracked)
  }

  #setAlarm(): void {
    const { engine, clock } = this.#parts
    const { now } = engine
    const { dues } = engine.view.agenda
    const due = dues[0] !== undefined && dues[0] > now ? dues[0] : dues.find((at) => at > now)
    if (due === this.#alarm?.due) return
    this.#alarm?.cancel()
    this.#alarm = undefined
    if (due !== undefined && !this.#stopped)
      this.#alarm = { due, cancel: clock.timer(due, 'agenda', () => this.#onAlarm()) }
  }

  #onAlarm(): void {
    this.#alarm = undefined
    this.wake()
  }
}
