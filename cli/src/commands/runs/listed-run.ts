import type { Run, RunFile } from '@quipu/sdk/runs'
import { CommandFailed } from '../command.ts'

/** A run of a list. */
export type ListedRun = Run & {
  /** Number that a server gave the run. */
  readonly number?: number
  readonly pinned?: boolean
  /** File of the run in a folder. */
  readonly file?: string
}

/** Where runs are stored: a folder of run files, or a server. */
export type RunSource = {
  /** Newest first. */
  list(): Promise<readonly ListedRun[]>
  /** The bytes of the file of a run. */
  bytes(run: ListedRun): Promise<Uint8Array>
  add(bytes: Uint8Array): Promise<ListedRun>
  pin(run: ListedRun, isPinned: boolean): Promise<ListedRun>
  delete(run: ListedRun): Promise<void>
  close(): Promise<void>
}

export async function readBytes(bytes: Uint8Array, name: string): Promise<RunFile> {
  const { RunFileError, readRun } = await import('@quipu/sdk/runs')
  return readRun(bytes).catch((error: unknown) => {
    throw error instanceof RunFileError ? new CommandFailed(`${name}: ${error.message}`) : error
  })
}
