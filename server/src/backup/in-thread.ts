import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Position } from '../journal/journal.ts'
import type { Manifest } from './manifest.ts'

export type BackupOrder = {
  /** Of PostgreSQL, if the journal is there. */
  readonly url?: string | undefined
  readonly data?: string | undefined
  readonly to: string
  readonly head: Position
}

export type BackupResult = { readonly manifest: Manifest } | { readonly problem: string }

/** Makes a backup in a thread. */
export async function backUpInThread(order: BackupOrder): Promise<BackupResult> {
  const file = new URL(`backup-thread${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(file, { workerData: order, name: 'backup-thread' })
  try {
    const [result] = (await once(worker, 'message')) as [BackupResult]
    return result
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  } finally {
    await worker.terminate()
  }
}
