import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { diskOperations, makeFolder } from '../process/file-operations.ts'
import { NoBackup } from './failures.ts'

/** Fills a folder that gets its name when all of it is on the disk; if that fails, nothing is left of it. */
export async function inNewFolder<Value>(
  name: string,
  fill: (folder: string) => Promise<Value>,
): Promise<Value> {
  const to = resolve(name)
  if (existsSync(to)) throw new NoBackup(`${to} is there already: name a folder that is not`)
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
