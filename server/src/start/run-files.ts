import { mainPaths } from '@quipu/broker/data-folder/folder-layout.ts'
import { memoryRunFiles } from '@quipu/broker/registry/runs/memory-run-files.ts'
import type { RunFiles } from '@quipu/broker/registry/runs/run-files.ts'
import { MAIN, type Worlds } from '@quipu/broker/registry/worlds.ts'
import type { Config } from '../config/config.ts'
import { sweepRunFiles } from '../http/sim/runs/runs.ts'

/** Where the server stores the files of runs: beside the journal of `main`. */
export async function openRunFiles(
  config: Pick<Config, 'store' | 'data'>,
  worlds: Worlds,
): Promise<RunFiles> {
  const files = await runFilesOf(config)
  const main = worlds.get(MAIN)
  // Only this process writes to its data folder, so no upload is under way. A database may have the uploads of another node.
  if (config.store.kind !== 'postgres' && main) await sweepRunFiles(files, main, { olderThanMs: 0 })
  return files
}

async function runFilesOf({ store, data }: Pick<Config, 'store' | 'data'>): Promise<RunFiles> {
  if (store.kind === 'postgres')
    return (await import('@quipu/broker/registry/runs/postgres-run-files.ts')).postgresRunFiles(store.url)
  if (data.kind === 'memory') return memoryRunFiles()
  return (await import('@quipu/broker/registry/runs/folder-run-files.ts')).folderRunFiles(
    mainPaths(data.path).runs,
  )
}
