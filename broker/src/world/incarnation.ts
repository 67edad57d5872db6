import {
  apply,
  emptyState,
  forget,
  type Job,
  type JobId,
  pauseAfter,
  type State,
  type View,
  type WorldSettings,
} from '@quipu/core'
import type { WorldClock } from '../clock/clock.ts'
import { DiskFull } from '../data-folder/disk-space.ts'
import { type Committed, committedOf } from '../journal/committed.ts'
import { type Journal, JournalShortened } from '../journal/journal.ts'
import { causeOf, eventOf, storedRecord } from '../journal/stored-event.ts'
import type { MarketSource } from '../market/market-source.ts'
import { type QueryTables, QueryTablesDamaged } from '../query-tables/query-tables.ts'
import { CommandLoop } from './command-loop.ts'
import { Engine } from './engine.ts'
import type { RequestOutcomes } from './requests/request-outcomes.ts'

/** The parts of world state that the market reads. */
export type MarketView = Pick<
  View,
  'symbols' | 'marketEvents' | 'removedMarketEvents' | 'importedData' | 'positions' | 'actions' | 'actionsSeq'
>

/** The parts of an incarnation. Each part is opened again when the world is rebuilt after a failure of its journal. */
export type IncarnationParts = {
  /** Settings of a new world (empty journal). */
  readonly settings: WorldSettings
  readonly clock: WorldClock
  readonly openJournal: () => Promise<Journal>
  /** `failed` is called when the query tables fail after they were opened. */
  readonly openQueryTables: (journal: Journal, failed: (error: unknown) => void) => Promise<QueryTables>
  /** The newest usable snapshot up to an event number, if there is one. */
  readonly snapshot: (journal: Journal, upTo: number) => Promise<State | undefined>
  readonly market: (settings: WorldSettings, state: MarketView) => MarketSource
  readonly queueMax: number
  /** See the engine. */
  readonly prepared?: (() => Promise<void> | undefined) | undefined
  /** How many events the query tables may be behind. */
  readonly queryTablesLagMax: number
  readonly failed: (error: unknown) => void
}

export type IncarnationCallbacks = {
  readonly committed: (events: readonly Committed[]) => void
  readonly outcomes: RequestOutcomes
  readonly crashed: (error: unknown) => void
  readonly queryTablesFailed: (error: unknown) => void
  readonly runJob: (jobId: JobId) => Promise<void>
}

/** One incarnation of a world: from opening its journal until it is closed or the journal fails. */
export class Incarnation {
  readonly journal: Journal
  readonly queryTables: QueryTables
  readonly market: MarketSource
  readonly engine: Engine
  readonly loop: CommandLoop
  /** Number of events in the journal at the start. */
  readonly replayed: number
  /** Durable events that an earlier incarnation did not publish. */
  readonly unpublished: readonly Committed[]

  private constructor(parts: IncarnationParts, callbacks: IncarnationCallbacks, opened: Opened) {
    const { journal, queryTables, state, unpublished } = opened
    const settings = state.settings ?? parts.settings
    this.replayed = state.seq
    this.unpublished = unpublished
    this.journal = journal
    this.queryTables = queryTables
    this.market = parts.market(settings, state)
    this.engine = new Engine({
      state,
      seed: settings.seed,
      journal,
      market: this.market,
      now: () => parts.clock.now(),
      queueMax: parts.queueMax,
      prepared: parts.prepared,
      committed: callbacks.committed,
      refused: (cause, command, reason) =>
        callbacks.outcomes.addRefusal(cause, command, reason, this.engine.now, this.market),
      crashed: callbacks.crashed,
    })
    this.loop = new CommandLoop({
      engine: this.engine,
      clock: parts.clock,
      market: this.market,
      runJob: callbacks.runJob,
      failed: parts.failed,
    })
  }

  /**
   * `published` is the number of the last event that an earlier incarnation published. Damaged query tables are deleted when
   * they are closed, so the second attempt rebuilds them.
   */
  static begin(
    parts: IncarnationParts,
    calls: IncarnationCallbacks,
    published: number | undefined,
  ): Promise<Incarnation> {
    return Incarnation.#beginOnce(parts, calls, published).catch((error) => {
      if (!(error instanceof QueryTablesDamaged)) throw error
      return Incarnation.#beginOnce(parts, calls, published)
    })
  }

  static async #beginOnce(
    parts: IncarnationParts,
    calls: IncarnationCallbacks,
    published: number | undefined,
  ): Promise<Incarnation> {
    const journal = await parts.openJournal()
    const { seq: end } = journal.head()
    if (published !== undefined && end < published) {
      await journal.close()
      throw new JournalShortened(end, published)
    }
    let failure: { readonly error: unknown } | undefined
    let isBegun = false
    // The query tables' threads load their program while this one reads the snapshot.
    const opening = parts.openQueryTables(journal, (error) => {
      failure = { error }
      if (isBegun) calls.queryTablesFailed(error)
    })
    try {
      const head = journal.head().seq
      const upTo = Math.min(published ?? head, head)
      // A later snapshot no longer has the orders as they were after each unpublished event.
      const [queryTables, snapshot] = await Promise.all([opening, parts.snapshot(journal, upTo)])
      const replayed = await replay({ parts, journal, queryTables, snapshot, upTo })
      isBegun = true
      return new Incarnation(parts, calls, { journal, queryTables, ...replayed })
    } catch (error) {
      const [queryTables] = await Promise.allSettled([opening])
      await Promise.allSettled([
        queryTables.status === 'fulfilled' && queryTables.value.close(),
        journal.close(),
      ])
      throw failure ? failure.error : error
    }
  }

  /** Records the settings of a new world, then starts the command loop. */
  async start(parts: IncarnationParts): Promise<void> {
    if (!this.engine.view.settings)
      await this.loop.submit({ kind: 'openWorld', settings: parts.settings }, () => undefined)
    this.loop.start()
    await this.loop.caughtUp()
  }

  /**
   * Jobs that a restart or a rebuild interrupted are failed, so that they are retried sooner. Overdue ones were restarted
   * already, and those that wait after a failure are not postponed.
   */
  failInterrupted(interrupted: readonly Job[]): void {
    for (const { id, attempts, due } of interrupted)
      if (
        this.engine.view.jobs.get(id)?.attempts === attempts &&
        due > this.engine.now + longestPause(attempts)
      )
        this.loop.submitInternal({ kind: 'failJob', jobId: id, problem: 'cut off by a restart' })
  }

  /** Stores pending events and closes everything. `last` reads the journal before it is closed. */
  async end(last?: (journal: Journal) => Promise<void>): Promise<void> {
    this.loop.stop()
    await this.engine.stop()
    // Another process may hold the world, or the store of the journal does not respond.
    if (!this.journal.isCurrentHolder()) return this.abandon()
    try {
      await last?.(this.journal)
      await this.queryTables.close()
    } finally {
      await this.journal.close()
    }
  }

  /** Closes everything after a failure, without storing pending events. */
  async abandon(): Promise<void> {
    this.loop.stop()
    const { queryTables } = this
    await Promise.allSettled([
      queryTables.abandon ? queryTables.abandon() : queryTables.close(),
      this.journal.close(),
    ])
  }
}

/** The pause after a failed attempt, with the most jitter. */
const longestPause = (attempts: number): bigint => pauseAfter(attempts, 'ffff')

type Replayed = { readonly state: State; readonly unpublished: readonly Committed[] }
type Opened = Replayed & { readonly journal: Journal; readonly queryTables: QueryTables }

/** The state after all journal entries, and the events after `upTo`. Records that the query tables hold are released. */
async function replay({
  parts,
  journal,
  queryTables,
  snapshot,
  upTo,
}: {
  readonly parts: IncarnationParts
  readonly journal: Journal
  readonly queryTables: QueryTables
  readonly snapshot: State | undefined
  readonly upTo: number
}): Promise<Replayed> {
  const state = snapshot ?? emptyState()
  const released = state.seq
  const unpublished: Committed[] = []
  const wantedAt = queryTables.stateWantedAt
  // A later snapshot does not pass that event.
  if (wantedAt !== undefined && state.seq >= wantedAt)
    queryTables.takeState?.(state.seq === wantedAt ? state : undefined)
  for await (const entries of journal.read(state.seq)) {
    for (const entry of entries) {
      const event = eventOf(entry)
      const order = apply(state, event)
      if (state.seq === wantedAt) queryTables.takeState?.(state)
      if (state.seq > upTo)
        unpublished.push(committedOf(state, event, order, causeOf(entry), storedRecord(entry)))
    }
    await caughtUp(queryTables, state.seq - parts.queryTablesLagMax)
    forget(state, queryTables.position())
  }
  await (queryTables.reachedOrFull?.(state.seq) ?? queryTables.reached(state.seq))
  // A snapshot has released records that only the query tables have, so they must have all of its events before the first read.
  await caughtUp(queryTables, released)
  forget(state, Math.min(queryTables.position(), state.seq))
  return { state, unpublished }
}

/** Waits for query tables that the world cannot begin without. Throws DiskFull if they wait for space. */
async function caughtUp(queryTables: QueryTables, seq: number): Promise<void> {
  await (queryTables.reachedOrFull?.(seq) ?? queryTables.reached(seq))
  if (queryTables.position() < seq)
    throw new DiskFull(
      `the disk is full: the query tables end at event ${queryTables.position()}, expected ${seq}`,
    )
}
