import type { AccountId, BrokerEvent, ClientOrderId, OrderId, State, View } from '@quipu/core'
import type { Journal } from '../journal/journal.ts'
import { NotApplied } from '../journal/not-applied.ts'
import type { QueryTables } from '../query-tables/query-tables.ts'
import type { Incarnation, IncarnationParts } from './incarnation.ts'
import type { Incarnations } from './incarnations.ts'
import { type Applied, replayWhile } from './replay-while.ts'
import { untilQueryTables } from './until-query-tables.ts'
import type { CommandLimits, WorldCommands } from './world-commands.ts'

export type WorldStorageParts = {
  readonly incarnations: Incarnations
  readonly commands: WorldCommands
  readonly limits: CommandLimits & Pick<IncarnationParts, 'snapshot'>
}

type ReplayAfter = {
  readonly begun: (view: View) => void
  readonly isIncluded: (event: BrokerEvent) => boolean
  readonly applied: Applied
}

/** The durable records of a world: its journal, and the query tables with what memory has released. */
export class WorldStorage {
  readonly #parts: WorldStorageParts

  constructor(parts: WorldStorageParts) {
    this.#parts = parts
  }

  get journal(): Journal {
    return this.#current.journal
  }
  get queryTables(): QueryTables {
    return this.#current.queryTables
  }

  /** Number of events read from the journal. Overdue commands may have added more since. */
  get replayed(): number {
    return this.#current.replayed
  }

  /** Waits until the query tables have an event, at most queryTablesWaitMs. Throws NotApplied. */
  untilQueryTables(seq: number): Promise<void> {
    return untilQueryTables(this.queryTables, seq, this.#parts.limits.queryTablesWaitMs)
  }

  /** The open state after an event of the journal. Computed for this call, from the newest usable snapshot on. */
  stateAt(seq: number): Promise<View> {
    return this.#stateAt(seq)
  }

  /** Replays the events after one of the journal: `begun` reads the state before them. Returns the state after them. */
  async replayAfter(seq: number, { begun, isIncluded, applied }: ReplayAfter): Promise<View> {
    const state = await this.#stateAt(seq)
    begun(state)
    return replayWhile(this.journal, isIncluded, state, applied)
  }

  async #stateAt(seq: number): Promise<State> {
    const { journal } = this.#current
    // A journal in memory has no snapshots of its own.
    const start = journal.source && (await this.#parts.limits.snapshot(journal, seq))
    return replayWhile(journal, (_, number) => number <= seq, start)
  }

  /** Looks up a client order id among orders that memory has released, and runs `use` with the result. */
  async withEarlierOrder<Value>(
    accountId: AccountId,
    clientOrderId: ClientOrderId,
    use: (earlier: OrderId | undefined) => Promise<Value>,
  ): Promise<Value> {
    const { accountsWithDroppedOrders } = this.#current.engine.view
    // If the command must wait for the query tables, memory may release the order before the command runs.
    if (!accountsWithDroppedOrders.has(accountId) && !this.#parts.commands.isBehind) return use(undefined)
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
    const { incarnations } = this.#parts
    const incarnation = incarnations.current
    return incarnations.archiveReads.run(incarnation.queryTables.position(), async () => {
      const found = await find(incarnation.queryTables)
      // Another incarnation may have released more than these query tables held.
      if (!incarnations.isNewest(incarnation)) throw new NotApplied('worldRestarting')
      return use(found)
    })
  }

  get #current(): Incarnation {
    return this.#parts.incarnations.current
  }
}
