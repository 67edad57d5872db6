import assert from 'node:assert/strict'
import type { State } from '@quipu/core'
import type { Journal } from '../../../broker/src/journal/journal.ts'
import { Projection } from '../../../broker/src/query-tables/projection.ts'
import type { World } from '../../../broker/src/world/world.ts'

/** Writes a line to the trace of a run; two runs of one seed write the same trace. */
export type Note = (line: string) => void

/** The access of one process to the store. After the process ended, its calls get no response. */
export type Access = {
  /** `lost` reports a journal that failed without an append. */
  readonly openJournal: (lost: (error: unknown) => void) => Promise<Journal>
  readonly snapshot: (journal: Journal, upTo: number) => Promise<State | undefined>
  /** Resolves when a fault ends this process. */
  readonly ended: Promise<void>
  readonly isEnded: () => boolean
  /** Number of calls of the process. */
  readonly sent: () => number
  /** Whether another process holds the lease: a later one, or an ended one whose last call arrived late. */
  readonly isSuperseded: () => boolean
  /** Ends the process. */
  readonly end: () => void
}

/** A store with faults. */
export interface Store {
  readonly isHeld: boolean
  /** Whether a second process can start while the first runs. */
  readonly isShared: boolean
  /** Whether holding calls also holds reads. */
  readonly holdsReads: boolean
  /** Connects a new process. */
  connect(): Access
  /** Makes all calls wait. */
  hold(): void
  release(count?: number): void
  /** Injects a fault into one of the next calls. */
  plan(): void
  /** Removes all planned faults. */
  clearFaults(): void
  /** Ends the running processes without a clean stop; `cut` also loses unsynced data. */
  stop(mode: 'cut' | 'kill'): void
  writeSnapshot(state: State, hash: string): Promise<void>
  corruptSnapshot(): void
  counts(): Readonly<Record<string, number>>
  remove(): void
}

/** Writes a snapshot from the journal alone, as the query tables thread does. */
export async function takeSnapshot(world: World, store: Store): Promise<void> {
  const projection = new Projection()
  const { seq, hash } = world.storage.journal.head()
  for await (const entries of world.storage.journal.read(0)) projection.take(entries)
  assert.equal(projection.state.seq, seq)
  await store.writeSnapshot(projection.state, hash)
}

/** Controls the calls of a process to its store: holds them, releases them in order, and injects faults. */
export class CallControl<Fault> {
  #waiting: (() => void)[] = []
  #held = false
  #faults = new Map<number, Fault>()
  #calls = 0

  get isHeld(): boolean {
    return this.#held
  }

  hold(): void {
    this.#held = true
  }

  /** Releases `count` waiting calls, or all of them and later calls. */
  release(count = Infinity): void {
    if (count === Infinity) this.#held = false
    for (let left = count; left > 0 && this.#waiting.length > 0; left--) this.#waiting.shift()!()
  }

  /** Injects a fault into the n-th call from now. */
  plan(nth: number, fault: Fault): void {
    this.#faults.set(this.#calls + nth, fault)
  }

  /** Removes all planned faults. */
  clearFaults(): void {
    this.#faults.clear()
  }

  /** Drops waiting calls and planned faults, because the process ended. */
  clear(): void {
    this.#waiting = []
    this.#held = false
    this.#faults.clear()
  }

  async ready(): Promise<void> {
    if (this.#held) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** The fault of the next call. */
  next(): Fault | undefined {
    return this.#faults.get(++this.#calls)
  }
}
