import { randomInt, randomUUID } from 'node:crypto'
import type { ImportedSeries, Instant, LedgerId, PartnerId, WorldId } from '@quipu/core'
import type { Journal, Successor } from '../journal/journal.ts'
import type { FollowedJournal } from './following.ts'
import type { StoreSize } from './store-size.ts'
import type { VirtualStore } from './virtual-store.ts'

/** What a durable world needs besides its events. */
export type DurableRecord = {
  readonly world: WorldId
  /** See `World`. No other durable world has the same. */
  readonly code: string
  /** The world that it was forked from. */
  readonly parent?: WorldId | undefined
  /** The partner of `main` that it belongs to. */
  readonly partner?: PartnerId | undefined
  /** The world whose market it follows. */
  readonly follows?: WorldId | undefined
  readonly ledgerId: LedgerId
  /** The name of its journal. A reset begins a new one. */
  readonly journal: string
  /** It runs on the wall clock. Default: a virtual clock. */
  readonly clock?: 'wall' | undefined
  /** The time of its clock, if it is virtual. */
  readonly now: Instant
  /** See `Origin`. */
  readonly origin: { readonly at: Instant; readonly seq: number; readonly loaded?: number | undefined }
}

/** What a node knows of a world that it will get. */
export type PreparedWorld = { readonly importedData: readonly ImportedSeries[] }

/** The storage of one world that nodes of a cluster hand over. */
export type Movable = {
  /** Reads the state of a world that another node holds and will hand over to this one. */
  readonly prepare?: () => Promise<PreparedWorld>
  /** Only this node may take the world when it is released. */
  readonly handOver?: (to: Successor) => void
}

/** A world as it is stored now. `main` has no record. */
export type StoredWorld = FollowedJournal & { readonly record?: DurableRecord | undefined }

/** The storage of virtual worlds that survive a restart. Implementations: files and PostgreSQL. */
export interface DurableStorage {
  /**
   * The records of all worlds. Deletes journals without a record and reserved codes, which interrupted changes have left.
   */
  list(): Promise<readonly DurableRecord[]>
  /** Whether an open world has all its events and rows in memory, where forks can share them. */
  readonly isInMemory: boolean
  /** Journal, query tables and snapshots under the name of a journal. */
  store(name: string): Omit<VirtualStore, 'settings'> & Movable
  /** Opens a journal, or creates it. */
  openJournal(name: string): Promise<Journal>
  /** The codes of all worlds, also the reserved ones. */
  usedCodes(): Promise<ReadonlySet<string>>
  /** Reserves a code for a world without a record. */
  reserveCode(world: WorldId, code: string): Promise<'reserved' | 'codeTaken' | 'worldNameTaken'>
  /** The name of the first journal of a world, or of the one after another. */
  newJournalName(world: WorldId, after?: string): string
  /**
   * Stores a record durably, in place of the reserved code of the world, or of the earlier record, which has the journal
   * `earlier`. Fails with `Fenced` if another process has taken or changed the world.
   */
  storeRecord(record: DurableRecord, earlier?: string): Promise<void>
  /** The record of a world, as it is stored now. */
  record(world: WorldId): Promise<DurableRecord | undefined>
  /** Deletes the record of a world with this journal, or its reserved code. Fails with `Fenced` as `storeRecord` does. */
  deleteRecord(record: Pick<DurableRecord, 'world' | 'code' | 'journal'>): Promise<void>
  deleteJournal(name: string): Promise<void>
  size(name: string): Promise<StoreSize>
  /** A stored world that another process may hold. Absent if this process holds all worlds. */
  stored?(world: WorldId): Promise<StoredWorld | undefined>
  /** The world was closed, and another node may take it from now on. */
  released?(name: string): Promise<void>
}

/** A record as text, and back. */
export const durableRecordText = (record: DurableRecord): string =>
  JSON.stringify(record, (_, value) => (typeof value === 'bigint' ? String(value) : value))

export function parseRecord(text: string): DurableRecord {
  const { now, origin, ...rest } = JSON.parse(text)
  return { ...rest, now: BigInt(now), origin: { ...origin, at: BigInt(origin.at) } } as DurableRecord
}

/** Random, because the same calls in a new world with an old name lead to the same ids of book transfers. */
export const newLedgerId = (): LedgerId => randomUUID() as LedgerId

/** The number of journal names of a world: so many that none is repeated. */
const JOURNALS = 2 ** 47

/**
 * A new journal name in a database. A process that has lost a deleted journal may still write under its name, so no later
 * journal gets the same.
 */
export const randomJournalName = (world: WorldId): string => `${world}.${randomInt(JOURNALS)}`

/** No world name has a dot. */
export const isJournalName = (name: string): boolean => /^[a-z0-9-]+\.\d+$/.test(name)
