import { join } from 'node:path'
import { memoryRunFiles } from '@quipu/broker/registry/runs/memory-run-files.ts'
import type { RunFiles } from '@quipu/broker/registry/runs/run-files.ts'
import type { Config } from '../config/config.ts'

/** Where the server stores the files of runs: beside the journal of `main`. */
export async function runFilesOf({ store, data }: Pick<Config, 'store' | 'data'>): Promise<RunFiles> {
  if (store.kind === 'postgres')
    return (await import('@quipu/broker/registry/runs/postgres-run-files.ts')).postgresRunFiles(store.url)
  if (data.kind === 'memory') return memoryRunFiles()
  return (await import('@quipu/broker/registry/runs/folder-run-files.ts')).folderRunFiles(
    join(data.path, 'runs'),
  )
}
