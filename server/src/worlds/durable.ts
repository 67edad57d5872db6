import type { Instant, WorldId, WorldSettings } from '@quipu/core'
import type { Journal } from '../journal/journal.ts'
import { copyEvents } from '../journal/mirror.ts'
import type { StoreSize } from './store-size.ts'
import type { VirtualStore } from './virtual-store.ts'

/** What a durable world needs besides its events. */
export type WorldRecord = {
  readonly world: WorldId
  /** The world that it was forked from. */
  readonly parent?: WorldId | undefined
  /** The name of its journal. A reset begins a new one. */
  readonly journal: string
  /** The time of its clock. */
  readonly now: Instant
  /** See `Origin`. */
  readonly origin: { readonly at: Instant; readonly seq: number; readonly loaded?: number | undefined }
}

/** The storage of virtual worlds that survive a restart. Implementations: files and PostgreSQL. */
export interface DurableStorage {
  /** The records of all worlds. Deletes journals without a record, which interrupted changes have left. */
  list(): Promise<readonly WorldRecord[]>
  /** Whether an open world has all its events and rows in memory, where forks can share them. */
  readonly isInMemory: boolean
  /** Journal, views and snapshots under the name of a journal. */
  store(name: string): Omit<VirtualStore, 'settings'>
  /** Opens a journal, or creates it. */
  openJournal(name: string): Promise<Journal>
  /** Stores a record durably, in place of the earlier one of the world. */
  storeRecord(record: WorldRecord): Promise<void>
  deleteRecord(world: WorldId): Promise<void>
  deleteJournal(name: string): Promise<void>
  size(name: string): Promise<StoreSize>
}

/** A record as text, and back. */
export const recordText = (record: WorldRecord): string =>
  JSON.stringify(record, (_, value) => (typeof value === 'bigint' ? String(value) : value))

export function parseRecord(text: string): WorldRecord {
  const { now, origin, ...rest } = JSON.parse(text)
  return { ...rest, now: BigInt(now), origin: { ...origin, at: BigInt(origin.at) } } as WorldRecord
}

/** The name of the first journal of a world, or of the one after another. No world name has a dot. */
const journalName = (world: WorldId, after?: string): string =>
  `${world}.${after === undefined ? 1 : Number(after.slice(after.indexOf('.') + 1)) + 1}`

export const isJournalName = (name: string): boolean => /^[a-z0-9-]+\.\d+$/.test(name)

/** How long a running clock may be ahead of its stored time. */
const CLOCK_INTERVAL_MS = 1000

/** The storage of one durable world. */
export class DurableWorld {
  readonly #storage: DurableStorage
  #record: WorldRecord
  #isStored = false
  #storedMs = 0

  constructor(storage: DurableStorage, record: WorldRecord, isStored: boolean) {
    this.#storage = storage
    this.#record = record
    this.#isStored = isStored
  }

  /** A new world, which survives a restart once it is `created`. */
  static create(storage: DurableStorage, world: WorldId, now: Instant, parent?: WorldId): DurableWorld {
    const record = { world, parent, journal: journalName(world), now, origin: { at: now, seq: 0 } }
    return new DurableWorld(storage, record, false)
  }

  store(settings: WorldSettings): VirtualStore {
    return { settings, ...this.#storage.store(this.#record.journal) }
  }

  /** See `DurableStorage`. */
  get isInMemory(): boolean {
    return this.#storage.isInMemory
  }

  /** Fills the new journal with the events of another one. */
  async fill(events: Journal): Promise<void> {
    const journal = await this.#storage.openJournal(this.#record.journal)
    try {
      await copyEvents(events, journal)
    } finally {
      await journal.close()
    }
  }

  /** From now on the world survives a restart. */
  async created(origin: WorldRecord['origin']): Promise<void> {
    this.#record = { ...this.#record, origin }
    await this.#storage.storeRecord(this.#record)
    this.#isStored = true
  }

  /** The clock has moved. A running clock is stored once a second. */
  async moved(now: Instant, isRunning: boolean): Promise<void> {
    if (!this.#isStored || now === this.#record.now) return
    const nowMs = performance.now()
    if (isRunning && nowMs - this.#storedMs < CLOCK_INTERVAL_MS) return
    this.#storedMs = nowMs
    this.#record = { ...this.#record, now }
    await this.#storage.storeRecord(this.#record)
  }

  /** The same world with a new journal, before it is filled. */
  successor(): DurableWorld {
    const { world, journal, origin } = this.#record
    const record = { ...this.#record, journal: journalName(world, journal), now: origin.at }
    return new DurableWorld(this.#storage, record, false)
  }

  size(): Promise<StoreSize> {
    return this.#storage.size(this.#record.journal)
  }

  async deleteJournal(): Promise<void> {
    await this.#storage.deleteJournal(this.#record.journal)
  }

  async delete(): Promise<void> {
    this.#isStored = false
    await this.#storage.deleteRecord(this.#record.world)
    await this.deleteJournal()
  }
}
