import type { Instant, LedgerId, PartnerId, WorldId, WorldSettings } from '@quipu/core'
import type { Journal, Successor } from '../journal/journal.ts'
import { copyEvents } from '../journal/mirror.ts'
import { isConnectionFailure } from '../postgres/connection-failure.ts'
import { OutcomeUnknown } from '../world/submitted.ts'
import { type DurableRecord, type DurableStorage, newLedgerId } from './durable-storage.ts'
import { SecretRemover } from './file/without-secrets.ts'
import type { StoreSize } from './store-size.ts'
import type { VirtualStore } from './virtual-store.ts'

/** How long a running clock may be ahead of its stored time. */
const CLOCK_INTERVAL_MS = 1000

export type WorldName = Pick<DurableRecord, 'world' | 'parent' | 'partner' | 'clock' | 'follows'>

/** Whether a new world is durable, and the partner of `main` that it belongs to. */
export type Keeping = Pick<DurableRecord, 'partner'> & { readonly isDurable?: boolean }

type Times = Pick<DurableRecord, 'now' | 'origin'>

/** Nothing that a world needs has failed, whatever the cause is. */
export class JournalNotDeleted extends Error {
  constructor(journal: string, options: ErrorOptions) {
    super(`the journal ${journal} was not deleted; it is deleted later: ${options.cause}`, options)
    this.name = 'JournalNotDeleted'
  }
}

/** The database may have changed the record before the connection was lost. */
function unknownOutcome(error: unknown): never {
  throw isConnectionFailure(error) ? new OutcomeUnknown(error) : error
}

/** The storage of one durable world. */
export class DurableWorld {
  readonly #storage: DurableStorage
  readonly #identity: Omit<DurableRecord, keyof Times>
  /** Undefined until the world is `created`. */
  #times: Times | undefined
  #storedMs = 0
  /** The journal of the stored record. */
  #stored: string | undefined
  /** The last change of the record. A clock may still move while the world is reset or deleted. */
  #changed: Promise<unknown> = Promise.resolve()
  /** The world is deleted, or has another journal: the clock of this one is not stored any more. */
  #isOver = false

  private constructor(
    storage: DurableStorage,
    identity: Omit<DurableRecord, keyof Times>,
    times?: Times,
    stored?: string,
  ) {
    this.#storage = storage
    this.#identity = identity
    this.#times = times
    this.#stored = stored
  }

  /** A new world, which survives a restart once it is `created`. */
  static create(storage: DurableStorage, name: WorldName, code: string): DurableWorld {
    const journal = storage.newJournalName(name.world)
    return new DurableWorld(storage, { ...name, code, ledgerId: newLedgerId(), journal })
  }

  /** A world of an earlier process. */
  static reopen(storage: DurableStorage, { now, origin, ...identity }: DurableRecord): DurableWorld {
    return new DurableWorld(storage, identity, { now, origin }, identity.journal)
  }

  get code(): string {
    return this.#identity.code
  }

  get partner(): PartnerId | undefined {
    return this.#identity.partner
  }

  get follows(): WorldId | undefined {
    return this.#identity.follows
  }

  get ledgerId(): LedgerId {
    return this.#identity.ledgerId
  }

  store(settings: WorldSettings): VirtualStore {
    return { settings, ...this.#storage.store(this.#identity.journal) }
  }

  /** See `DurableStorage`. */
  get isInMemory(): boolean {
    return this.#storage.isInMemory
  }

  /** Fills the new journal with the events of another one, without the secrets of people. */
  async fill(events: Journal): Promise<void> {
    const secrets = new SecretRemover()
    const journal = await this.#storage.openJournal(this.#identity.journal)
    try {
      await copyEvents(events, journal, (entry) => secrets.cleanPeople(entry))
    } finally {
      await journal.close()
    }
  }

  /** From now on the world survives a restart. */
  async created({ at, seq, loaded }: DurableRecord['origin']): Promise<void> {
    await this.#change(() => this.#store({ now: at, origin: { at, seq, loaded } }))
  }

  /** The clock has moved. A running clock is stored once a second. */
  async moved(now: Instant, isRunning: boolean): Promise<void> {
    if (!this.#times || now === this.#times.now) return
    const nowMs = performance.now()
    if (isRunning && nowMs - this.#storedMs < CLOCK_INTERVAL_MS) return
    this.#storedMs = nowMs
    const times = { ...this.#times, now }
    await this.#change(async () => this.#isOver || this.#store(times))
  }

  /** The same world with a new journal, before it is filled. */
  successor(): DurableWorld {
    const { world, journal: after } = this.#identity
    const identity = {
      ...this.#identity,
      ledgerId: newLedgerId(),
      journal: this.#storage.newJournalName(world, after),
    }
    const successor = new DurableWorld(this.#storage, identity, undefined, this.#stored)
    this.#isOver = true
    successor.#changed = this.#changed
    return successor
  }

  /** The name of its journal. */
  get journal(): string {
    return this.#identity.journal
  }

  /** The record of the world as it is stored now, also if another journal has taken the place of this one. */
  record(): Promise<DurableRecord | undefined> {
    return this.#storage.record(this.#identity.world)
  }

  size(): Promise<StoreSize> {
    return this.#storage.size(this.#identity.journal)
  }

  handOver(to: Successor): void {
    this.#storage.store(this.#identity.journal).handOver?.(to)
  }

  async released(): Promise<void> {
    await this.#storage.released?.(this.#identity.journal)
  }

  /** Deletes a journal that no record has. If that fails, it is deleted later, and `failed` gets the error. */
  async deleteJournal(failed: (error: JournalNotDeleted) => void): Promise<void> {
    const { journal } = this.#identity
    await this.#storage
      .deleteJournal(journal)
      .catch((error) => failed(new JournalNotDeleted(journal, { cause: error })))
  }

  /** Deletes the world: it is deleted once its record is. See `deleteJournal`. */
  async delete(failed: (error: JournalNotDeleted) => void): Promise<void> {
    this.#isOver = true
    await this.#change(() => this.#storage.deleteRecord(this.#identity).catch(unknownOutcome))
    await this.deleteJournal(failed)
  }

  /** Changes the record after the change before, if that has not ended. */
  #change<Value>(change: () => Promise<Value>): Promise<Value> {
    const changed = this.#changed.then(change)
    this.#changed = changed.catch(() => undefined)
    return changed
  }

  async #store(times: Times): Promise<void> {
    await this.#storage.storeRecord({ ...this.#identity, ...times }, this.#stored).catch(unknownOutcome)
    this.#stored = this.#identity.journal
    this.#times = times
  }
}
