import { type BrokerEvent, type Instant, type JobId, nextDue, type Ticker } from '@quipu/core'
import { AuctionWatch } from './auction-watch.ts'
import type { WorldClock } from './clock/clock.ts'
import type { Engine } from './engine.ts'
import type { MarketSource } from './market/market-source.ts'
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

type Watch = {
  /** Whether the market is watched for all that is wanted of a symbol. */
  isUnmoved(symbol: Ticker): boolean
  plan(symbol: Ticker): void
  stop(): void
}

/** The clockwork of a world: submits what comes due on the agenda, and has the market looked at where orders changed. */
export class Driver {
  readonly #parts: DriverParts
  readonly #dirty = new Set<Ticker>()
  /** What the market is watched for: quotes that reach someone, trades that elect someone, auctions. */
  readonly #watches: readonly Watch[]
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
        this.#dirty.add(symbol)
        this.wake()
      },
      underWay: (work) => this.#track(work),
    }
    this.#watches = [new MarketWatch(watching), new TradeWatch(watching), new AuctionWatch(watching)]
  }

  /** Takes over a world as it is: all that waits is planned for from now on, and what is overdue runs first. */
  start(): void {
    const { books, triggers, auctions } = this.#parts.engine.view
    for (const waiting of [books, triggers, auctions])
      for (const symbol of waiting.keys()) this.#dirty.add(symbol)
    this.wake()
  }

  /** Something happened: symbols whose orders changed are looked at anew. */
  turned(events: readonly BrokerEvent[]): void {
    for (const event of events) this.#note(event)
    this.wake()
  }

  #note(event: BrokerEvent): void {
    switch (event.kind) {
      case 'orderAccepted':
        // Of those that were only just accepted some wait for a trade already.
        if (event.order.trigger) this.#dirty.add(event.order.symbol)
        return
      case 'orderFilled':
        this.#dirty.add(event.symbol)
        return
      case 'orderCanceled':
      case 'orderExpired': {
        // An order that ends makes room; nobody comes within reach by it.
        const symbol = this.#parts.engine.view.orders.get(event.orderId)?.symbol
        if (symbol && !this.#isUnmoved(symbol)) this.#dirty.add(symbol)
        return
      }
      default: {
        const symbol = 'orderId' in event && this.#parts.engine.view.orders.get(event.orderId)?.symbol
        if (symbol) this.#dirty.add(symbol)
      }
    }
  }

  #isUnmoved(symbol: Ticker): boolean {
    for (const watch of this.#watches) if (!watch.isUnmoved(symbol)) return false
    return true
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
        this.#again = false
        this.#runDue()
        this.#planDirty()
      } while (this.#left > 0 && (this.#again || this.#dirty.size > 0))
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
    for (const watch of this.#watches) watch.stop()
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

  #planDirty(): void {
    for (const symbol of this.#dirty) {
      if (this.#left <= 0) return
      this.#left -= 1
      this.#dirty.delete(symbol)
      for (const watch of this.#watches) watch.plan(symbol)
    }
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
