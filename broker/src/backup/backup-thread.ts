import { workerData } from 'node:worker_threads'
import { missing } from '@quipu/core/values'
import { portOfThread } from '../threads/thread.ts'
import type { BackupOrder, BackupResult } from './in-thread.ts'
import type { Manifest } from './manifest.ts'

// A thread that makes one backup, so that the engine does not wait for it.
const port = portOfThread()

async function make({ url, data, to, head }: BackupOrder): Promise<Manifest> {
  if (url !== undefined) {
    const { backUpPostgres } = await import('./postgres-backup.ts')
    return backUpPostgres({ url, to, data, withCredentials: false })
  }
  const { backUp } = await import('./backup.ts')
  return backUp({ data: data ?? missing('the data folder'), to, head, withCredentials: false })
}

const result: Promise<BackupResult> = make(workerData as BackupOrder).then(
  (manifest) => ({ manifest }),
  (error: unknown) => ({ problem: error instanceof Error ? error.message : String(error) }),
)
port.postMessage(await result)
