/** Stores the files of runs. Runs are named by their ids, which are UUIDs. */
export type RunFiles = {
  /** Stores a file, durably, in place of an earlier one. A crash leaves the earlier one, or none. */
  write(run: string, bytes: Uint8Array): Promise<void>
  /** The parts of a file; undefined if there is none. */
  read(run: string): Promise<AsyncIterable<Uint8Array> | undefined>
  delete(run: string): Promise<void>
  /** Deletes the files that are older than an age and whose runs are not kept. */
  sweep(isKept: (run: string) => boolean, olderThanMs: number): Promise<void>
}
