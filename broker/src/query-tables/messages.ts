import type { WorldId } from '@quipu/core'
import type { JournalPosition } from '../journal/journal.ts'
import type { QueryTablesQuery, StoredRecord } from './queries.ts'
import type { TablesState } from './sqlite/tables.ts'

/** Limits for the threads that read and write the query tables. */
export type QueryTablesLimits = {
  /** Events written in one transaction. */
  readonly batchEventsMax: number
  /** Events between two snapshots. Closing also takes one. */
  readonly snapshotEvents: number
  readonly snapshotsKept: number
  /** Events since the last snapshot plus its orders, from which on a thread makes the next one. */
  readonly snapshotThreadMin: number
  /** Pending queries; further queries are rejected. */
  readonly queriesMax: number
}

export const defaultQueryTablesLimits: QueryTablesLimits = {
  batchEventsMax: 2_000,
  snapshotEvents: 150_000,
  snapshotsKept: 2,
  // With fewer, the start of the thread costs more than the snapshot.
  snapshotThreadMin: 10_000,
  queriesMax: 10_000,
}

export type WriterData = {
  readonly world: WorldId
  readonly file: string
  readonly journalFolder: string
  readonly snapshots: string
  readonly limits: QueryTablesLimits
}

/** Messages to the writer thread, in this order: `begin` once, then `state` at most once, `follow` often, `close` once. */
export type ToWriter =
  | {
      readonly kind: 'begin'
      /** Why the existing tables cannot be used. */
      readonly unusable?: string
      /** The snapshot to start the replica from. */
      readonly snapshot?: string
      /** Without a snapshot: whether a message with the state follows. */
      readonly awaitsState?: boolean
    }
  /** The state without orders at the position of the tables; without lines the writer replays the journal itself. */
  | { readonly kind: 'state'; readonly lines?: readonly string[] }
  | { readonly kind: 'follow'; readonly head: JournalPosition }
  | { readonly kind: 'close'; readonly withoutSnapshot?: boolean }

/**
 * Messages from the writer thread: `found` once, `started` once, `position` often. `full`: the disk is full, and the tables
 * stay at their position until it has space.
 */
export type FromWriter =
  | { readonly kind: 'found'; readonly tablesState: TablesState }
  | { readonly kind: 'started' }
  | { readonly kind: 'position'; readonly seq: number }
  | { readonly kind: 'full' }
  | { readonly kind: 'log'; readonly line: string }
  | FailedQuery

export type ReaderData = { readonly world: WorldId; readonly file: string }
export type ToReader =
  | { readonly kind: 'query'; readonly number: number; readonly query: QueryTablesQuery }
  | { readonly kind: 'close' }
export type FromReader =
  | { readonly kind: 'result'; readonly number: number; readonly records: readonly StoredRecord[] }
  | { readonly kind: 'refused'; readonly number: number; readonly error: unknown }
  | FailedQuery

/** The thread has failed. `damaged`: its tables are damaged and must be rebuilt. */
export type FailedQuery = { readonly kind: 'failed'; readonly error: unknown; readonly damaged: boolean }
