import type { Journal } from '../../journal/journal.ts'

/** Stores the files of runs. A file never changes: each upload has a new name, a UUID, which the record of the run names. */
export type RunFiles = {
  /** Stores a new file, durably. A crash leaves the whole file, or none. */
  write(file: string, bytes: Uint8Array): Promise<void>
  /** The parts of a file; undefined if there is none. */
  read(file: string): Promise<AsyncIterable<Uint8Array> | undefined>
  delete(file: string): Promise<void>
  /** Deletes the files that no record names. A process that has lost `main` deletes none. */
  sweep(sweeping: RunSweep): Promise<void>
}

export type RunSweep = {
  readonly isKept: (file: string) => boolean
  /** Younger files may belong to an upload that is under way. */
  readonly olderThanMs: number
  /** The journal of `main` that the records are read from. */
  readonly journal: Pick<Journal, 'fence'>
}
