import type { State } from '@quipu/core'
import type { Journal } from '../../../server/src/journal/journal.ts'

/** Writes down what happens, in order; two lives of one seed write the same. */
export type Note = (line: string) => void

/** What one process has of the store. When the process is over, none of its calls is answered any more. */
export type Access = {
  /** `lost`: the journal is of no use any more, though nothing was appended. */
  readonly openJournal: (lost: (error: unknown) => void) => Promise<Journal>
  readonly snapshot: (journal: Journal, upTo: number) => Promise<State | undefined>
  /** Resolves when the store's trouble was that this process ended. */
  readonly dead: Promise<void>
  readonly isDead: () => boolean
  /** How many calls the process has made. */
  readonly sent: () => number
  /** Whether a later process, or the last word of one that is over, has taken the world from this one. */
  readonly isSuperseded: () => boolean
  /** The process is over. */
  readonly end: () => void
}

/** A bad place to keep a world in. */
export interface Store {
  readonly isHeld: boolean
  /** Whether a second process can come while the first still runs. */
  readonly isShared: boolean
  /** Whether what is read waits as well while calls are held. */
  readonly holdsReads: boolean
  /** A new process. */
  connect(): Access
  /** Calls wait. */
  hold(): void
  letGo(count?: number): void
  /** Something will go wrong soon. */
  plan(): void
  /** Nothing goes wrong any more. */
  calm(): void
  /** The processes that run end without a word; with `cut`, what was not safe is gone. */
  stop(how: 'cut' | 'kill'): void
  writeSnapshot(state: State, hash: string): Promise<void>
  spoilSnapshot(): void
  counts(): Readonly<Record<string, number>>
  remove(): void
}
