import { setTimeout as sleep } from 'node:timers/promises'
import type {
  AccountId,
  ClientOrderId,
  Command,
  Decision,
  Instant,
  Job,
  JobId,
  OrderId,
  View,
  WorldId,
} from '@quipu/core'
import type { WorldClock } from '../clock/clock.ts'
import { type Cause, currentCause } from '../journal/cause.ts'
import type { Committed } from '../journal/committed.ts'
import { Fenced, type Journal } from '../journal/journal.ts'
import type { MarketSource } from '../market/market-source.ts'
import { NotApplied, notAppliedBy } from '../process/not-applied.ts'
import type { Views } from '../views/views.ts'
import type { Answer, Engine } from './engine.ts'
import { type Calls, Life, type LifeParts } from './incarnation.ts'
import { type Carrier, type Listener, Publisher } from './publisher.ts'
import { Trail, type TrailLimits } from './refused-commands.ts'

export type WorldParts = LifeParts & {
  readonly id: WorldId
  readonly runJob: (world: World, jobId: JobId) => Promise<void>
  /** How long a command waits for views that are too far behind, before it is refused. */
  readonly viewsWaitMs: number
  /** How much of its requests it remembers. */
  readonly trail?: TrailLimits
}

/** The least time from one rebuild to the next: each reads the journal, and a disk seldom mends at once. */
const REBUILD_PAUSE_MS = 500

/** A clock, a market, a ledger with its one writer, and everyone who listens. No world sees another. */
export class World {
  readonly id: WorldId
  readonly clock: WorldClock
  readonly trail: Trail
  readonly #parts: WorldParts
  readonly #publisher: Publisher
  readonly #findings = new Map<object, number>()
  #life: Life | undefined
  #rebuilding: Promise<void> | undefined
  #closed = false
  readonly #closing = new AbortController()
  #rebuiltMs = Number.NEGATIVE_INFINITY
  /** Why the last incarnation ended, or the next one does not begin. */
  #failure: unknown

  private constructor(parts: WorldParts) {
    this.id = parts.id
    this.clock = parts.clock
    this.trail = new Trail(parts.trail)
    this.#publisher = new Publisher(this.trail)
    this.#parts = parts
  }

  static async open(parts: WorldParts): Promise<World> {
    const world = new World(parts)
    try {
      world.#retry(await world.#begin())
    } catch (error) {
      world.#closed = true
      throw error
    }
    return world
  }

  /**
   * False while its journal is opened again after a failure, and while another process may have taken the world over.
   * No request is applied or answered then.
   */
  get isUp(): boolean {
    return this.#life?.journal.isHeld() === true
  }

  /** Whether another process may have taken the world over. */
  get isLeaseOver(): boolean {
    return this.#life?.journal.isHeld() === false
  }

  get engine(): Engine {
    return this.#alive.engine
  }
  get view(): View {
    return this.#alive.engine.view
  }
  get market(): MarketSource {
    return this.#alive.market
  }
  get views(): Views {
    return this.#alive.views
  }
  get journal(): Journal {
    return this.#alive.journal
  }

  /** How many events were read from the journal; what was overdue has happened since. */
  get replayed(): number {
    return this.#alive.replayed
  }

  /** The instant the next thing would happen at. */
  get now(): Instant {
    return this.engine.now
  }

  /** What the clock shows, or the last event where that is later: on a clock that stands still, events still rise. */
  get latest(): Instant {
    const now = this.clock.now()
    const { lastAt } = this.view
    return now > lastAt ? now : lastAt
  }

  /** Has a command of a request decided; see the engine. Waits for what is due, and for views that are far behind. */
  submit<Value>(
    command: Command,
    look: (view: View, decision: Decision) => Value,
    cause = currentCause(),
  ): Promise<Answer<Value>> {
    if (!this.isUp || this.#isBehind) return this.#submitLater(command, look, cause)
    return this.#alive.engine.submit(command, look, cause)
  }

  /** A value that is given once all it saw is durable. */
  read<Value>(look: (view: View) => Value): Promise<Answer<Value>> {
    return this.#alive.engine.read(look)
  }

  /** Calls the listener with every durable event, once and in order, until called off; across rebuilds too. */
  listen(listener: Listener): () => void {
    return this.#publisher.listen(listener)
  }

  /** Until called off, the world is quiet only when this carrier has carried everything. */
  attach(carrier: Carrier): () => void {
    return this.#publisher.attach(carrier)
  }

  /** Its market is another than before: all that waits is planned for anew. */
  marketChanged(): void {
    this.#life?.driver.marketChanged()
  }

  /** Resolves when nothing that was caused so far is still under way, all of it is durable, and it was carried on. */
  async quiet(): Promise<void> {
    const { driver, engine } = this.#alive
    await driver.quiet()
    await engine.reached(engine.view.seq)
    await this.#publisher.carried()
  }

  /** Looks a client id up among orders that memory has let go, and runs `use` with the finding. */
  async withEarlier<Value>(
    accountId: AccountId,
    clientOrderId: ClientOrderId,
    use: (earlier: OrderId | undefined) => Promise<Value>,
  ): Promise<Value> {
    // Where a submit must wait for the views, memory may let go of something before its turn comes.
    if (!this.view.letGo.has(accountId) && !this.#isBehind) return use(undefined)
    return this.withFinding(
      (views) => views.orderByClientId(accountId, clientOrderId),
      (earlier) => use(earlier?.id),
    )
  }

  /**
   * Looks among what memory has let go, and runs `use` with the finding. As long as that is under way, nothing the
   * finding did not know is let go.
   */
  async withFinding<Found, Value>(
    find: (views: Views) => Promise<Found>,
    use: (found: Found) => Promise<Value>,
  ): Promise<Value> {
    const life = this.#alive
    const ticket = {}
    this.#findings.set(ticket, life.views.position())
    try {
      const found = await find(life.views)
      // Another life may have let go of more than these views knew.
      if (life !== this.#life) throw new NotApplied('worldRestarting')
      return await use(found)
    } finally {
      this.#findings.delete(ticket)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#closing.abort()
    this.#publisher.end()
    await this.#rebuilding
    this.clock.close()
    await this.#life?.end()
    this.#life = undefined
  }

  get #alive(): Life {
    if (!this.#life?.journal.isHeld()) throw notAppliedBy(this.#failure)
    return this.#life
  }

  get #isBehind(): boolean {
    const { driver, engine, views } = this.#alive
    return driver.isBehind || engine.durable - views.position() > this.#parts.viewsLagMax
  }

  /** Nobody waits for the answers of these any more; those that were overdue are under way again already. */
  #retry(cutOff: readonly Job[]): void {
    const { engine } = this.#life!
    for (const { id, attempts } of cutOff)
      if (engine.view.jobs.get(id)?.attempts === attempts)
        engine.drive({ kind: 'failJob', jobId: id, problem: 'cut off by a restart' })
  }

  async #submitLater<Value>(
    command: Command,
    look: (view: View, decision: Decision) => Value,
    cause: Cause | undefined,
  ): Promise<Answer<Value>> {
    const { driver, engine, views } = this.#alive
    await driver.caughtUp()
    await this.#catchUp(engine, views)
    return engine.submit(command, look, cause)
  }

  async #catchUp(engine: Engine, views: Views): Promise<void> {
    const failed = () => Promise.reject(new NotApplied('worldRestarting'))
    const enough = views.reached(engine.durable - this.#parts.viewsLagMax).then(() => true, failed)
    const tooLong = sleep(this.#parts.viewsWaitMs, false, { ref: false })
    if (!(await Promise.race([enough, tooLong]))) throw new NotApplied('viewsBehind')
  }

  /** Gives the calls that were under way when the life before ended. */
  async #begin(): Promise<readonly Job[]> {
    const calls: Calls = {
      committed: (events) => this.#committed(life, events),
      trail: this.trail,
      crashed: (error) => this.#rebuild(error, (lost) => lost.abandon()),
      viewsFailed: (error) => this.#rebuild(error, (lost) => lost.end()),
      runJob: (jobId) => this.#parts.runJob(this, jobId),
    }
    const life = await Life.begin(this.#parts, calls, this.#publisher.upTo)
    this.#life = life
    this.#publisher.resume(life.replayed, life.unpublished)
    const started = [...life.engine.view.jobs.values()].filter(({ attempts }) => attempts > 0)
    await life.settle(this.#parts)
    return started
  }

  #committed(life: Life, events: readonly Committed[]): void {
    // An incarnation that is being closed publishes nothing: the next one publishes what it has stored.
    if (life !== this.#life) return
    life.views.follow(life.engine.durable)
    this.#publisher.publish(events)
    life.engine.forget(Math.min(life.views.position(), ...this.#findings.values()))
  }

  /** Journal or views failed: memory is thrown away and made again from what the journal holds. */
  #rebuild(error: unknown, leave: (lost: Life) => Promise<void>): void {
    this.#failed(error)
    const lost = this.#life
    if (this.#closed || !lost) return
    this.#life = undefined
    const left = leave(lost).catch(this.#parts.failed)
    this.#rebuilding = Promise.all([this.#rebuilding, left])
      .then(() => this.#beginAgain())
      .finally(() => {
        this.#rebuilding = undefined
      })
  }

  /**
   * What made the last life fail, such as a full disk, may last: it is tried again until it works. Taken over by
   * another engine, the world stays down here.
   */
  async #beginAgain(): Promise<void> {
    while (!this.#closed && !this.#life && !(this.#failure instanceof Fenced)) {
      const sinceMs = performance.now() - this.#rebuiltMs
      if (sinceMs < REBUILD_PAUSE_MS) await this.#pause(REBUILD_PAUSE_MS - sinceMs)
      if (this.#closed) return
      this.#rebuiltMs = performance.now()
      await this.#begin().catch((error) => this.#failed(error))
    }
  }

  #failed(error: unknown): void {
    this.#failure = error
    this.#parts.failed(error)
  }

  /** Ends early when the world is closed. */
  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { ref: false, signal: this.#closing.signal }).catch(() => undefined)
  }
}
