import type { JobId } from '@quipu/core'
import type { Committed } from '../journal/committed.ts'
import { isLostForGood, type Journal } from '../journal/journal.ts'
import { notAppliedBecause } from '../journal/not-applied.ts'
import { Incarnation, type IncarnationCallbacks, type IncarnationParts } from './incarnation.ts'
import type { Publisher, WorldEnding } from './publisher.ts'
import { Rebuilds } from './rebuilds.ts'
import type { RequestOutcomes } from './requests/request-outcomes.ts'

export type IncarnationsParts = IncarnationParts & {
  readonly publisher: Publisher
  readonly outcomes: RequestOutcomes
  readonly runJob: (jobId: JobId) => Promise<void>
}

/** Whether a world accepts requests, and why not. */
export type WorldStatus = Pick<
  Incarnations,
  'isUp' | 'isOver' | 'isRebuilding' | 'isLeaseOver' | 'failure'
> & {
  ending: WorldEnding
}

/** The incarnations of a world, one after the other: a failure of journal or query tables ends one and begins the next. */
export class Incarnations {
  ending: WorldEnding = 'stopped'
  /** Why the last incarnation ended, or why the next one cannot start. */
  failure: unknown
  readonly archiveReads = new ArchiveReads()
  readonly #parts: IncarnationsParts
  readonly #runningJobs = new Set<JobId>()
  #incarnation: Incarnation | undefined
  readonly #rebuilds = new Rebuilds({
    begin: () => this.begin().catch((error) => this.#failed(error)),
    isWanted: () => !this.#incarnation && !this.isOver,
  })

  constructor(parts: IncarnationsParts) {
    this.#parts = parts
  }

  /** False while its journal is reopened, or another process may hold the world: no request is applied or answered. */
  get isUp(): boolean {
    return this.#incarnation?.journal.isCurrentHolder() === true
  }

  /** Whether it stays down here: another process has taken it over, or its journal has lost events. */
  get isOver(): boolean {
    return !this.#incarnation && isLostForGood(this.failure)
  }

  /** Whether a rebuild of a large world is under way. */
  get isRebuilding(): boolean {
    return this.#rebuilds.isLong
  }

  /** Whether the lease has expired, so that another process may have taken the world over. */
  get isLeaseOver(): boolean {
    return this.#incarnation?.journal.isCurrentHolder() === false
  }

  /** The incarnation that answers requests. */
  get current(): Incarnation {
    if (!this.isUp) throw notAppliedBecause(this.failure)
    return this.#incarnation!
  }

  /** The newest incarnation, even if its lease is over. */
  get newest(): Incarnation {
    if (!this.#incarnation) throw notAppliedBecause(this.failure)
    return this.#incarnation
  }

  isNewest(incarnation: Incarnation): boolean {
    return incarnation === this.#incarnation
  }

  async begin(): Promise<void> {
    const { publisher, outcomes, runJob } = this.#parts
    const calls: IncarnationCallbacks = {
      committed: (events) => this.#committed(incarnation, events),
      outcomes,
      crashed: (error) => this.#rebuild(error, (lost) => lost.abandon()),
      queryTablesFailed: (error) => this.#rebuild(error, (lost) => lost.end()),
      runJob: (jobId) => {
        this.#runningJobs.add(jobId)
        return runJob(jobId).finally(() => this.#runningJobs.delete(jobId))
      },
    }
    const incarnation = (this.#incarnation = await Incarnation.begin(this.#parts, calls, publisher.upTo))
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

  async end(last?: (journal: Journal) => Promise<void>): Promise<void> {
    const { publisher, clock, outcomes } = this.#parts
    const rebuilt = this.#rebuilds.end()
    publisher.end()
    await rebuilt
    clock.close()
    await this.#incarnation?.end(last)
    this.#incarnation = undefined
    await outcomes.written()
  }

  async #start(incarnation: Incarnation): Promise<void> {
    this.#parts.publisher.resume(incarnation.replayed, incarnation.unpublished)
    const started = [...incarnation.engine.view.jobs.values()].filter(({ attempts }) => attempts > 0)
    await incarnation.start(this.#parts)
    // A call that still runs submits its response to this incarnation. The responses of all others are lost.
    incarnation.failInterrupted(started.filter(({ id }) => !this.#runningJobs.has(id)))
  }

  #committed(incarnation: Incarnation, events: readonly Committed[]): void {
    // An incarnation that is being closed publishes nothing: the next one publishes what it has stored.
    if (incarnation !== this.#incarnation) return
    const { engine, queryTables } = incarnation
    queryTables.follow(engine.durable)
    this.#parts.publisher.publish(events)
    engine.forget(this.archiveReads.min(queryTables.position()))
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

/** Running reads of the query tables. Memory releases nothing that such a read did not see. */
class ArchiveReads {
  readonly #positions = new Map<object, number>()

  /** The last event up to which memory may release records. */
  min(position: number): number {
    return Math.min(position, ...this.#positions.values())
  }

  /** Runs a read of query tables that are at this position. */
  async run<Value>(position: number, read: () => Promise<Value>): Promise<Value> {
    const ticket = {}
    this.#positions.set(ticket, position)
    try {
      return await read()
    } finally {
      this.#positions.delete(ticket)
    }
  }
}
