import type { Instant } from '@quipu/core'
import { isConnectionFailure } from '../postgres/connection-failure.ts'
import { OutcomeUnknown } from '../world/submitted.ts'
import { DurableJournal, type JournalNotDeleted } from './durable-journal.ts'
import { type DurableRecord, type DurableStorage, newLedgerId } from './durable-storage.ts'

/** How long a running clock may be ahead of its stored time. */
const CLOCK_INTERVAL_MS = 1000

export type WorldName = Pick<DurableRecord, 'world' | 'parent' | 'partner' | 'clock' | 'follows'>

/** Whether a new world is durable, and the partner of `main` that it belongs to. */
export type Keeping = Pick<DurableRecord, 'partner'> & { readonly isDurable?: boolean }

type Times = Pick<DurableRecord, 'now' | 'origin'>

/** The part of a record that stays until a reset. */
type Identity = Omit<DurableRecord, keyof Times>

/** The database may have changed the record before the connection was lost. */
function unknownOutcome(error: unknown): never {
  throw isConnectionFailure(error) ? new OutcomeUnknown(error) : error
}

/** The storage of one durable world. */
export class DurableWorld {
  readonly identity: Identity
  readonly journal: DurableJournal
  readonly #storage: DurableStorage
  /** Undefined until the world is `created`. */
  #times: Times | undefined
  #storedMs = 0
  /** The journal of the stored record. */
  #stored: string | undefined
  /** The last change of the record. A clock may still move while the world is reset or deleted. */
  #changed: Promise<unknown> = Promise.resolve()
  /** The world is deleted, or has another journal: the clock of this one is not stored any more. */
  #isOver = false

  private constructor(storage: DurableStorage, identity: Identity, times?: Times, stored?: string) {
    this.identity = identity
    this.journal = new DurableJournal(storage, identity.journal)
    this.#storage = storage
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
    const { world, journal: after } = this.identity
    const identity = {
      ...this.identity,
      ledgerId: newLedgerId(),
      journal: this.#storage.newJournalName(world, after),
    }
    const successor = new DurableWorld(this.#storage, identity, undefined, this.#stored)
    this.#isOver = true
    successor.#changed = this.#changed
    return successor
  }

  /** The record of the world as it is stored now, also if another journal has taken the place of this one. */
  record(): Promise<DurableRecord | undefined> {
    return this.#storage.record(this.identity.world)
  }

  /** Deletes the world: it is deleted once its record is. See `DurableJournal`. */
  async delete(failed: (error: JournalNotDeleted) => void): Promise<void> {
    this.#isOver = true
    await this.#change(() => this.#storage.deleteRecord(this.identity).catch(unknownOutcome))
    await this.journal.delete(failed)
  }

  /** Changes the record after the change before, if that has not ended. */
  #change<Value>(change: () => Promise<Value>): Promise<Value> {
    const changed = this.#changed.then(change)
    this.#changed = changed.catch(() => undefined)
    return changed
  }

  async #store(times: Times): Promise<void> {
    await this.#storage.storeRecord({ ...this.identity, ...times }, this.#stored).catch(unknownOutcome)
    this.#stored = this.identity.journal
    this.#times = times
  }
}
