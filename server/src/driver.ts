import {
  type BookView,
  type BrokerEvent,
  type Instant,
  type JobId,
  nearest,
  nextDue,
  type Price,
  type Quote,
  type Side,
  settingsOf,
  type Ticker,
  tradesAt,
  tradingSpan,
  type WorldSettings,
} from '@quipu/core'
import type { WorldClock } from './clock/clock.ts'
import type { Engine } from './engine.ts'
import type { MarketSource } from './market/market-source.ts'

/** How far ahead the market is searched at a time; then it is searched again. */
const HORIZON_NS = 6n * 3_600_000_000_000n

/** So much is done at a stretch, some milliseconds of it; then others have their turn. */
const STRETCH = 64

type BookClass = 'regular' | 'extended'
type Want = { readonly kind: BookClass; readonly side: Side; readonly price: Price }
/** What the market is watched for, for one symbol. `exhausted`: it is there, and its quote has nothing left to give. */
type Touch = { readonly exhausted: boolean; readonly wants: readonly Want[]; readonly cancel: () => void }

export type DriverParts = {
  readonly engine: Engine
  readonly clock: WorldClock
  readonly market: MarketSource
  readonly runJob: (jobId: JobId) => Promise<void>
  readonly failed: (error: unknown) => void
}

/**
 * The clockwork of a world: submits what comes due on the agenda, and brings a quote to the engine when the market
 * reaches someone who waits. It asks the market only for the next moment that matters, however far off.
 */
export class Driver {
  readonly #parts: DriverParts
  readonly #dirty = new Set<Ticker>()
  readonly #touches = new Map<Ticker, Touch>()
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
  }

  /** Takes over a world as it is: all that waits is planned for from now on, and what is overdue runs first. */
  start(): void {
    for (const symbol of this.#parts.engine.view.books.keys()) this.#dirty.add(symbol)
    this.wake()
  }

  /** Something happened: symbols whose orders changed are looked at anew. */
  turned(events: readonly BrokerEvent[]): void {
    const { orders } = this.#parts.engine.view
    for (const event of events) {
      if (!('orderId' in event)) continue
      const symbol = orders.get(event.orderId)?.symbol
      if (symbol && !(isEnd(event) && this.#isUnmoved(symbol))) this.#dirty.add(symbol)
    }
    this.wake()
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
    for (const { cancel } of this.#touches.values()) cancel()
    this.#touches.clear()
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
      this.#plan(symbol)
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
      .finally(() => this.#underWay.delete(running))
    this.#underWay.add(running)
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

  /** Whether the market is watched for what is wanted, and there is nobody whom it has reached. */
  #isUnmoved(symbol: Ticker): boolean {
    const touch = this.#touches.get(symbol)
    const book = this.#parts.engine.view.books.get(symbol)
    return touch !== undefined && book !== undefined && !touch.exhausted && isStill(book, touch.wants)
  }

  /** Fills what the quote reaches now, or finds out when it will reach someone next. */
  #plan(symbol: Ticker): void {
    const { engine, market } = this.#parts
    const book = engine.view.books.get(symbol)
    if (!book) return
    const reachedNow = isReached(settingsOf(engine.view), market, book, symbol, engine.now)
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
    if (wants.length > 0) this.#search(symbol, reachedNow, wants)
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
        if (!current || this.#stopped) return
        const cancel = this.#parts.clock.timer(touch ?? horizon, 'market', () => {
          this.#touches.delete(symbol)
          this.#dirty.add(symbol)
          this.wake()
        })
        this.#touches.set(symbol, { exhausted, wants, cancel })
      })
      .catch(this.#parts.failed)
      .finally(() => this.#underWay.delete(search))
    this.#underWay.add(search)
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
}

const CLASSES = ['regular', 'extended'] as const
const SIDES = ['buy', 'sell'] as const

/** The nearest price on each side that someone waits for, by class. */
function wantsOf(book: BookView): readonly Want[] {
  const wants: Want[] = []
  for (const kind of CLASSES)
    for (const side of SIDES) {
      const price = nearest(book[kind][side], side)
      if (price !== undefined) wants.push({ kind, side, price })
    }
  return wants
}

/** Whether these are still the wants of a book; it is asked after every turn, and makes nothing. */
function isStill(book: BookView, wants: readonly Want[]): boolean {
  let at = 0
  for (const kind of CLASSES)
    for (const side of SIDES) {
      const price = nearest(book[kind][side], side)
      if (price === undefined) continue
      const want = wants[at++]
      if (want?.price !== price || want.side !== side || want.kind !== kind) return false
    }
  return at === wants.length
}

/** Whether the quote of an instant reaches one of those who wait. */
function isReached(
  settings: WorldSettings,
  market: MarketSource,
  book: BookView,
  symbol: Ticker,
  at: Instant,
): boolean {
  let quote: Quote | undefined
  for (const kind of CLASSES)
    for (const side of SIDES) {
      const price = nearest(book[kind][side], side)
      if (price === undefined || !tradesAt(settings, kind, at)) continue
      quote ??= market.pricesAt(at).quote(symbol)
      if (quote && (side === 'buy' ? price >= quote.ask : price <= quote.bid)) return true
    }
  return false
}

/** An order that ends makes room; nobody comes within reach by it. */
const isEnd = ({ kind }: BrokerEvent): boolean => kind === 'orderCanceled' || kind === 'orderExpired'
