import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { diskOperations, makeFolder } from '../process/file-operations.ts'
import { BackupFailed } from './failures.ts'

/** Fills a new folder and renames it when all of it is on disk. On failure the folder is removed. */
export async function inNewFolder<Value>(
  name: string,
  fill: (folder: string) => Promise<Value>,
): Promise<Value> {
  const to = resolve(name)
  if (existsSync(to)) throw new BackupFailed(`${to} already exists; choose a new folder`)
  await makeFolder(diskOperations, dirname(to))
  const unfinished = await mkdtemp(join(dirname(to), `${basename(to)}.tmp-`))
  try {
    const value = await fill(unfinished)
    await diskOperations.rename(unfinished, to)
    await diskOperations.syncFolder(dirname(to))
    return value
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
}
