import type { State } from '@quipu/core'
import type { Journal } from '../../../broker/src/journal/journal.ts'

/** Writes a line to the trace of a run; two runs of one seed write the same trace. */
export type Note = (line: string) => void

/** The access of one process to the store. After the process ended, its calls get no answer. */
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
