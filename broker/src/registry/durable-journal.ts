import type { WorldSettings } from '@quipu/core'
import type { Journal, Successor } from '../journal/journal.ts'
import { copyEvents } from '../journal/mirror.ts'
import type { DurableStorage } from './durable-storage.ts'
import { SecretRemover } from './file/without-secrets.ts'
import type { StoreSize } from './store-size.ts'
import type { VirtualStore } from './virtual-store.ts'

/** Nothing that a world needs has failed, whatever the cause is. */
export class JournalNotDeleted extends Error {
  constructor(journal: string, options: ErrorOptions) {
    super(`the journal ${journal} was not deleted; it is deleted later: ${options.cause}`, options)
    this.name = 'JournalNotDeleted'
  }
}

/** A journal of a durable world in its storage, with the query tables and snapshots under the same name. */
export class DurableJournal {
  readonly name: string
  readonly #storage: DurableStorage

  constructor(storage: DurableStorage, name: string) {
    this.name = name
    this.#storage = storage
  }

  /** See `DurableStorage`. */
  get isInMemory(): boolean {
    return this.#storage.isInMemory
  }

  store(settings: WorldSettings): VirtualStore {
    return { settings, ...this.#storage.store(this.name) }
  }

  /** Fills the new journal with the events of another one, without the secrets of people. */
  async fill(events: Journal): Promise<void> {
    const secrets = new SecretRemover()
    const journal = await this.#storage.openJournal(this.name)
    try {
      await copyEvents(events, journal, (entry) => secrets.cleanPeople(entry))
    } finally {
      await journal.close()
    }
  }

  size(): Promise<StoreSize> {
    return this.#storage.size(this.name)
  }

  handOver(to: Successor): void {
    this.#storage.store(this.name).handOver?.(to)
  }

  async released(): Promise<void> {
    await this.#storage.released?.(this.name)
  }

  /** Deletes the journal if no record has it. If that fails, it is deleted later, and `failed` gets the error. */
  async delete(failed: (error: JournalNotDeleted) => void): Promise<void> {
    await this.#storage
      .deleteJournal(this.name)
      .catch((error) => failed(new JournalNotDeleted(this.name, { cause: error })))
  }
}
