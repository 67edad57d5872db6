import { createReadStream } from 'node:fs'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '@quipu/core/values'
import { diskOperations, makeFolder, writeAll } from '../../data-folder/file-operations.ts'
import type { RunFiles } from './run-files.ts'

const ENDING = '.quipu-run'

/** Files in a folder of the data folder. */
export function folderRunFiles(folder: string): RunFiles {
  const pathOf = (run: string): string => join(folder, `${run}${ENDING}`)
  return {
    async write(run, bytes) {
      await makeFolder(diskOperations, folder)
      const part = `${pathOf(run)}.part`
      const file = await diskOperations.open(part, 'w')
      try {
        await writeAll(diskOperations, file, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), 0)
        await diskOperations.sync(file)
      } finally {
        await diskOperations.close(file)
      }
      await rename(part, pathOf(run))
      await syncFolder(folder)
    },
    async read(run) {
      const found = await stat(pathOf(run)).catch(ifMissing)
      return found && createReadStream(pathOf(run))
    },
    delete: (run) => rm(pathOf(run), { force: true }),
    async sweep(isKept, olderThanMs) {
      const names = (await readdir(folder).catch(ifMissing)) ?? []
      for (const name of names) {
        if (name.endsWith(ENDING) && isKept(name.slice(0, -ENDING.length))) continue
        const found = await stat(join(folder, name)).catch(ifMissing)
        if (found && Date.now() - found.mtimeMs >= olderThanMs) await rm(join(folder, name), { force: true })
      }
    },
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

function ifMissing(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined
  throw error
}
