import type { JournalPosition } from '../journal/journal.ts'
import { runInThread } from '../threads/run-in-thread.ts'
import type { Manifest } from './manifest.ts'

export type BackupOrder = {
  /** Of PostgreSQL, if the journal is there. */
  readonly url?: string | undefined
  readonly data?: string | undefined
  readonly to: string
  readonly head: JournalPosition
}

export type BackupResult = { readonly manifest: Manifest } | { readonly problem: string }

/** Makes a backup in a thread. */
export async function backUpInThread(order: BackupOrder): Promise<BackupResult> {
  try {
    return await runInThread<BackupResult>(import.meta.url, 'backup-thread', order)
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
