import { type BrokerEvent, type Instant, type JobId, nextDue, type OrderId, type Ticker } from '@quipu/core'
import type { WorldClock } from '../clock/clock.ts'
import type { MarketSource } from '../market/market-source.ts'
import { AuctionWatch } from './auction-watch.ts'
import type { Engine } from './engine.ts'
import { MarketWatch, type MarketWatchParts } from './market-watch.ts'
import { TradeWatch } from './trade-watch.ts'

/** So much is done at a stretch, some milliseconds of it; then others have their turn. */
const STRETCH = 64

export type DriverParts = {
  readonly engine: Engine
  readonly clock: WorldClock
  readonly market: MarketSource
  readonly runJob: (jobId: JobId) => Promise<void>
  readonly failed: (error: unknown) => void
}

/** The clockwork of a world: submits what comes due on the agenda, and has the market looked at where orders changed. */
export class Driver {
  readonly #parts: DriverParts
  /** Symbols to be looked at anew, in order: the first of them, nearly always the only one, and those after it. */
  #dirty: Ticker | undefined
  readonly #dirtyToo = new Set<Ticker>()
  /** What the market is watched for: quotes that reach someone, trades that elect someone, auctions. */
  readonly #quotes: MarketWatch
  readonly #trades: TradeWatch
  readonly #auctions: AuctionWatch
  readonly #underWay = new Set<Promise<void>>()
  #awake = false
  #again = false
  /** What is left of this stretch. */
  #left = 0
  #rest: Promise<void> | undefined
  #alarm: { readonly due: Instant; readonly cancel: () => void } | undefined
  #stopped = false

  constructor(parts: DriverParts) {
    this.#parts = parts
    const watching: MarketWatchParts = {
      ...parts,
      reached: (symbol) => {
        this.#mark(symbol)
        this.wake()
      },
      underWay: (work) => this.#track(work),
    }
    this.#quotes = new MarketWatch(watching)
    this.#trades = new TradeWatch(watching)
    this.#auctions = new AuctionWatch(watching)
  }

  /** Takes over a world as it is: all that waits is planned for from now on, and what is overdue runs first. */
  start(): void {
    const { books, triggers, auctions } = this.#parts.engine.view
    for (const waiting of [books, triggers, auctions]) for (const symbol of waiting.keys()) this.#mark(symbol)
    this.wake()
  }

  /** Something happened: symbols whose orders changed are looked at anew. */
  turned(events: readonly BrokerEvent[]): void {
    let isOtherMarket = false
    for (const event of events) if (this.#note(event)) isOtherMarket = true
    this.wake()
    if (isOtherMarket) this.marketChanged()
  }

  /** The market is another than before: nothing that was found in it holds, and all that waits is planned for anew. */
  marketChanged(): void {
    this.#quotes.forget()
    this.#trades.forget()
    this.start()
  }

  /** Tells whether the market is another than before. */
  #note(event: BrokerEvent): boolean {
    switch (event.kind) {
      case 'orderAccepted':
        // Of those that were only just accepted some wait for a trade already.
        if (event.order.trigger) this.#mark(event.order.symbol)
        return false
      case 'orderFilled':
        this.#mark(event.symbol)
        return false
      case 'orderCanceled':
      case 'orderExpired': {
        // An order that ends makes room; nobody comes within reach by it.
        const symbol = this.#symbolOf(event.orderId)
        if (symbol && !this.#isUnmoved(symbol)) this.#mark(symbol)
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

  /** Whether the market is watched for all that is wanted of a symbol. */
  #isUnmoved(symbol: Ticker): boolean {
    return (
      this.#quotes.isUnmoved(symbol) && this.#trades.isUnmoved(symbol) && this.#auctions.isUnmoved(symbol)
    )
  }

  /** More is due than could be done at a stretch. */
  get isBehind(): boolean {
    return this.#rest !== undefined
  }

  /** Resolves when it is done. */
  async caughtUp(): Promise<void> {
    while (this.#rest) await this.#rest
  }

  /**
   * Runs what is due now. A turn that causes another wakes this again, which is noted, not nested. Where a great deal is
   * due, such as the orders of a whole day, other worlds have their turns in between.
   */
  wake(): void {
    if (this.#stopped || this.#rest) return
    if (this.#awake) {
      this.#again = true
      return
    }
    this.#awake = true
    this.#left = STRETCH
    try {
      do {
        this.#runDue()
        // What its turns caused is either done by now or planned for next.
        this.#again = false
        this.#planDirty()
      } while (this.#left > 0 && (this.#again || this.#isDirty))
    } catch (error) {
      // Whoever woke us has done its part; what follows from it must not undo its answer.
      this.#parts.failed(error)
    } finally {
      this.#awake = false
    }
    if (this.#left > 0) this.#setAlarm()
    else this.#goOnLater()
  }

  /** Resolves when no job runs and no search of the market is under way. */
  async quiet(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay)
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
    while (this.#left > 0 && agenda.dues.length > 0 && agenda.dues[0]! <= engine.now) {
      const next = nextDue(agenda)!
      const { seq } = engine.view
      this.#left -= 1
      engine.drive(next.item)
      if (engine.view.seq === seq) throw new Error(`bug: ${next.item.kind} came due and changed nothing`)
      if (next.item.kind === 'runJob') this.#startJob(next.item.jobId)
    }
  }

  #mark(symbol: Ticker): void {
    if (this.#dirty === symbol) return
    if (this.#dirty === undefined && this.#dirtyToo.size === 0) this.#dirty = symbol
    else this.#dirtyToo.add(symbol)
  }

  #planDirty(): void {
    while (this.#left > 0) {
      const symbol = this.#takeDirty()
      if (symbol === undefined) return
      this.#left -= 1
      this.#quotes.plan(symbol)
      this.#trades.plan(symbol)
      this.#auctions.plan(symbol)
    }
  }

  #takeDirty(): Ticker | undefined {
    const first = this.#dirty
    this.#dirty = undefined
    if (first !== undefined || this.#dirtyToo.size === 0) return first
    for (const symbol of this.#dirtyToo) {
      this.#dirtyToo.delete(symbol)
      return symbol
    }
    return undefined
  }

  get #isDirty(): boolean {
    return this.#dirty !== undefined || this.#dirtyToo.size > 0
  }

  #goOnLater(): void {
    const rest = new Promise<void>((resume) => setImmediate(resume)).then(() => {
      this.#rest = undefined
      this.wake()
      this.#underWay.delete(rest)
    })
    this.#rest = rest
    this.#underWay.add(rest)
  }

  /** The attempt is stored before the call is made. */
  #startJob(jobId: JobId): void {
    const { engine, runJob, failed } = this.#parts
    const running = engine
      .reached(engine.view.seq)
      .then(() => runJob(jobId))
      .catch(failed)
    this.#track(running)
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#underWay.delete(tracked))
    this.#underWay.add(tracked)
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
      this.#alarm = { due, cancel: clock.timer(due, 'agenda', () => this.#ring()) }
  }

  #ring(): void {
    this.#alarm = undefined
    this.wake()
  }
}
