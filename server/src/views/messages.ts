import type { WorldId } from '@quipu/core'
import type { Position } from '../journal/journal.ts'
import type { Question } from './table-queries.ts'
import type { Standing } from './tables.ts'

/** What bounds the work of the views' threads. */
export type ViewsLimits = {
  /** Events written in one transaction. */
  readonly batchEventsMax: number
  /** Events from one snapshot to the next; there is one at the end too. */
  readonly snapshotEvents: number
  readonly snapshotsKept: number
  /** Questions that wait for an answer, before further ones are refused. */
  readonly questionsMax: number
}

export type WriterData = {
  readonly world: WorldId
  readonly file: string
  readonly journalFolder: string
  readonly snapshots: string
  readonly limits: ViewsLimits
}

/** To the writing thread, in this order: `begin` once, `follow` often, `close` once. */
export type ToWriter =
  | {
      readonly kind: 'begin'
      /** Why what is there can not be used. */
      readonly unfit?: string
      /** A snapshot from which to make the replica. */
      readonly snapshot?: string
    }
  | { readonly kind: 'follow'; readonly head: Position }
  | { readonly kind: 'close' }

/** From it: `found` once, `begun` once, `position` often. */
export type FromWriter =
  | { readonly kind: 'found'; readonly standing: Standing }
  | { readonly kind: 'begun' }
  | { readonly kind: 'position'; readonly seq: number }
  | { readonly kind: 'log'; readonly line: string }
  | Failed

export type ReaderData = { readonly world: WorldId; readonly file: string }
export type ToReader =
  | { readonly kind: 'ask'; readonly number: number; readonly question: Question }
  | { readonly kind: 'close' }
export type FromReader =
  | { readonly kind: 'answer'; readonly number: number; readonly records: readonly string[] }
  | { readonly kind: 'refused'; readonly number: number; readonly error: unknown }
  | Failed

/** The thread is over. `damaged`: because its file makes no sense, so it must be made anew. */
export type Failed = { readonly kind: 'failed'; readonly error: unknown; readonly damaged: boolean }
