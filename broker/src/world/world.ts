import {
  type AccountId,
  type ClientOrderId,
  type Command,
  type Decision,
  type Instant,
  type JobId,
  max,
  type OrderId,
  type View,
  type WorldId,
} from '@quipu/core'
import type { WorldClock } from '../clock/clock.ts'
import type { Faults } from '../faults/faults.ts'
import { currentCause } from '../journal/cause.ts'
import type { Committed } from '../journal/committed.ts'
import { isFinal, type Journal } from '../journal/journal.ts'
import { NotApplied, notAppliedBecause } from '../journal/not-applied.ts'
import type { MarketSource } from '../market/market-source.ts'
import type { QueryTables } from '../query-tables/query-tables.ts'
import { ArchiveReads } from './archive-reads.ts'
import type { Engine } from './engine.ts'
import { Incarnation, type IncarnationCallbacks, type IncarnationParts } from './incarnation.ts'
import type { Once, Submission } from './once.ts'
import { type Forwarder, type Listener, Publisher, type WorldEnding } from './publisher.ts'
import { Rebuilds } from './rebuilds.ts'
import { ClientRequests } from './requests/client-requests.ts'
import { type OutcomeLimits, RequestOutcomes } from './requests/request-outcomes.ts'
import type { DurableResponse } from './submitted.ts'
import { untilQueryTables } from './until-query-tables.ts'

export type WorldParts = IncarnationParts & {
  readonly id: WorldId
  /** Two characters that the credentials of the world have at a fixed position (`access/world-code.ts`). */
  readonly code: string
  readonly runJob: (world: World, jobId: JobId) => Promise<void>
  /** How long a command waits for query tables that are too far behind, before it is refused. */
  readonly queryTablesWaitMs: number
  /** How many requests and refusals the world remembers. */
  readonly outcomes?: OutcomeLimits | undefined
}

/** An isolated broker: a clock, a market, a ledger with one writer, and listeners. No world sees another. */
export class World {
  readonly id: WorldId
  readonly code: string
  readonly clock: WorldClock
  readonly outcomes: RequestOutcomes
  readonly requests = new ClientRequests()
  /** The fault rules; undefined without rules. They concern transport, so no journal has them. */
  faults: Faults | undefined = undefined
  ending: WorldEnding = 'stopped'
  hasOperators = false // Only people and keys of `main` may have rights over the server.
  readonly #parts: WorldParts
  readonly publisher: Publisher
  readonly #archiveReads = new ArchiveReads()
  readonly #runningJobs = new Set<JobId>()
  #incarnation: Incarnation | undefined
  readonly #rebuilds = new Rebuilds({
    begin: () => this.#begin().catch((error) => this.#failed(error)),
    isWanted: () => !this.#incarnation && !this.isOver,
  })
  /** Why the last incarnation ended, or why the next one cannot start. */
  failure: unknown

  private constructor(parts: WorldParts) {
    this.id = parts.id
    this.code = parts.code
    this.clock = parts.clock
    this.outcomes = new RequestOutcomes(parts.id, parts.outcomes)
    this.publisher = new Publisher(this.outcomes)
    this.#parts = parts
  }

  static async open(parts: WorldParts): Promise<World> {
    const world = new World(parts)
    try {
      await world.#begin()
      return world
    } catch (error) {
      await world.close().catch(parts.failed)
      throw error
    }
  }

  /** False while its journal is reopened, or another process may hold the world: no request is applied or answered. */
  get isUp(): boolean {
    return this.#incarnation?.journal.isCurrentHolder() === true
  }

  /** Whether it stays down here: another process has taken it over, or its journal has lost events. */
  get isOver(): boolean {
    return !this.#incarnation && isFinal(this.failure)
  }

  /** Whether a rebuild of a large world is under way. */
  get isRebuilding(): boolean {
    return this.#rebuilds.isLong
  }

  /** Whether the lease has expired, so that another process may have taken the world over. */
  get isLeaseOver(): boolean {
    return this.#incarnation?.journal.isCurrentHolder() === false
  }

  get engine(): Engine {
    return this.#current.engine
  }
  get view(): View {
    return this.#current.engine.view
  }
  get market(): MarketSource {
    return this.#current.market
  }
  get queryTables(): QueryTables {
    return this.#current.queryTables
  }
  get journal(): Journal {
    return this.#current.journal
  }

  /** Number of events read from the journal. Overdue commands may have added more since. */
  get replayed(): number {
    return this.#current.replayed
  }

  /** The instant that the next event would have. */
  get now(): Instant {
    return this.engine.now
  }

  /** The time of the clock, or of the last event if that is later: events advance even while the clock is stopped. */
  get latest(): Instant {
    return max(this.clock.now(), this.view.lastAt)
  }

  /** Submits the command of a request to the engine, after overdue commands and after query tables that are far behind. */
  submit<Value>(
    command: Command,
    look: (view: View, decision: Decision) => Value,
    cause = currentCause(),
    once?: Once<Value>,
  ): Promise<DurableResponse<Value>> {
    if (!this.isUp || this.#isBehind) return this.#submitLater([command, look, cause, once])
    return this.#current.loop.submit(command, look, cause, once)
  }

  /** Submits a command that no client waits for. If the lease is over, the journal stores it only if nobody took over. */
  submitInternal(command: Command): Decision {
    if (!this.#incarnation) throw notAppliedBecause(this.failure)
    return this.#incarnation.loop.submitInternal(command)
  }

  /** Returns a value once all state that it was read from is durable. */
  read<Value>(look: (view: View) => Value): Promise<DurableResponse<Value>> {
    return this.#current.engine.read(look)
  }

  /** Waits until the query tables have an event, at most queryTablesWaitMs. Throws NotApplied. */
  untilQueryTables(seq: number): Promise<void> {
    return untilQueryTables(this.queryTables, seq, this.#parts.queryTablesWaitMs)
  }

  /** Calls the listener with every durable event, once and in order, across rebuilds. Returns a function that stops it. */
  listen(listener: Listener): () => void {
    return this.publisher.listen(listener)
  }

  /** While attached, the world is quiet only when this forwarder has sent everything. Returns a function that detaches. */
  attach(forwarder: Forwarder): () => void {
    return this.publisher.attach(forwarder)
  }

  /** The market is a different one now: all waiting orders are planned again. */
  marketChanged(): void {
    this.#incarnation?.loop.marketChanged()
  }

  /** Resolves when no work is pending, all events are durable, and all were forwarded. */
  async quiet(): Promise<void> {
    const { loop, engine } = this.#current
    await loop.quiet()
    await engine.untilDurable(engine.view.seq)
    await this.publisher.flushed()
  }

  /** Looks up a client order id among orders that memory has released, and runs `use` with the result. */
  async withEarlierOrder<Value>(
    accountId: AccountId,
    clientOrderId: ClientOrderId,
    use: (earlier: OrderId | undefined) => Promise<Value>,
  ): Promise<Value> {
    // If the command must wait for the query tables, memory may release the order before the command runs.
    if (!this.view.accountsWithDroppedOrders.has(accountId) && !this.#isBehind) return use(undefined)
    return this.withArchived(
      (queryTables) => queryTables.orderByClientId(accountId, clientOrderId),
      (earlier) => use(earlier?.id),
    )
  }

  /**
   * Reads from the query tables what memory has released, and runs `use` with the result. Until `use` ends, memory releases
   * nothing that the read did not see.
   */
  async withArchived<Found, Value>(
    find: (queryTables: QueryTables) => Promise<Found>,
    use: (found: Found) => Promise<Value>,
  ): Promise<Value> {
    const incarnation = this.#current
    return this.#archiveReads.run(incarnation.queryTables.position(), async () => {
      const found = await find(incarnation.queryTables)
      // Another incarnation may have released more than these query tables held.
      if (incarnation !== this.#incarnation) throw new NotApplied('worldRestarting')
      return use(found)
    })
  }

  async close(last?: (journal: Journal) => Promise<void>): Promise<void> {
    const rebuilt = this.#rebuilds.end()
    this.publisher.end()
    await rebuilt
    this.clock.close()
    await this.#incarnation?.end(last)
    this.#incarnation = undefined
    await this.outcomes.written()
  }

  get #current(): Incarnation {
    if (!this.#incarnation?.journal.isCurrentHolder()) throw notAppliedBecause(this.failure)
    return this.#incarnation
  }

  get #isBehind(): boolean {
    const { loop, engine, queryTables } = this.#current
    return loop.isBehind || engine.durable - queryTables.position() > this.#parts.queryTablesLagMax
  }

  async #submitLater<Value>(submission: Submission<Value>): Promise<DurableResponse<Value>> {
    const { loop, engine, queryTables } = this.#current
    await loop.caughtUp()
    await untilQueryTables(
      queryTables,
      engine.durable - this.#parts.queryTablesLagMax,
      this.#parts.queryTablesWaitMs,
    )
    return loop.submit(...submission)
  }

  async #begin(): Promise<void> {
    const calls: IncarnationCallbacks = {
      committed: (events) => this.#committed(incarnation, events),
      outcomes: this.outcomes,
      crashed: (error) => this.#rebuild(error, (lost) => lost.abandon()),
      queryTablesFailed: (error) => this.#rebuild(error, (lost) => lost.end()),
      runJob: (jobId) => {
        this.#runningJobs.add(jobId)
        return this.#parts.runJob(this, jobId).finally(() => this.#runningJobs.delete(jobId))
      },
    }
    const incarnation = (this.#incarnation = await Incarnation.begin(this.#parts, calls, this.publisher.upTo))
    try {
      await this.#start(incarnation)
    } catch (error) {
      // An incarnation that has not started must not keep its journal. One that crashed has left already.
      if (this.#incarnation === incarnation) {
        this.#incarnation = undefined
        await incarnation.abandon()
      }
      throw error
    }
  }

  async #start(incarnation: Incarnation): Promise<void> {
    this.publisher.resume(incarnation.replayed, incarnation.unpublished)
    const started = [...incarnation.engine.view.jobs.values()].filter(({ attempts }) => attempts > 0)
    await incarnation.start(this.#parts)
    // A call that still runs submits its response to this incarnation. The responses of all others are lost.
    incarnation.failInterrupted(started.filter(({ id }) => !this.#runningJobs.has(id)))
  }

  #committed(incarnation: Incarnation, events: readonly Committed[]): void {
    // An incarnation that is being closed publishes nothing: the next one publishes what it has stored.
    if (incarnation !== this.#incarnation) return
    incarnation.queryTables.follow(incarnation.engine.durable)
    this.publisher.publish(events)
    incarnation.engine.forget(this.#archiveReads.min(incarnation.queryTables.position()))
  }

  /** Journal or query tables failed: discards the state in memory and rebuilds it from the journal. */
  #rebuild(error: unknown, leave: (lost: Incarnation) => Promise<void>): void {
    this.#failed(error)
    const lost = this.#incarnation
    if (this.#rebuilds.isEnded || !lost) return
    this.#incarnation = undefined
    this.#rebuilds.start(leave(lost).catch(this.#parts.failed))
  }

  #failed(error: unknown): void {
    this.failure = error
    this.#parts.failed(error)
  }
}
