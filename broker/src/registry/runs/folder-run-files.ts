import { createReadStream } from 'node:fs'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '@quipu/core/values'
import { diskOperations, makeFolder, writeAll } from '../../data-folder/file-operations.ts'
import type { RunFiles } from './run-files.ts'

export const STORED_RUN_ENDING = '.quipu-run'

/** Files in a folder of the data folder. */
export function folderRunFiles(folder: string): RunFiles {
  const pathOf = (file: string): string => join(folder, `${file}${STORED_RUN_ENDING}`)
  return {
    async write(name, bytes) {
      await makeFolder(diskOperations, folder)
      const part = `${pathOf(name)}.part`
      const file = await diskOperations.open(part, 'w')
      try {
        await writeAll(diskOperations, file, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), 0)
        await diskOperations.sync(file)
      } finally {
        await diskOperations.close(file)
      }
      await rename(part, pathOf(name))
      await syncFolder(folder)
    },
    async read(file) {
      const found = await stat(pathOf(file)).catch(ifMissing)
      return found && createReadStream(pathOf(file))
    },
    delete: (file) => rm(pathOf(file), { force: true }),
    async sweep({ isKept, olderThanMs }) {
      const names = (await readdir(folder).catch(ifMissing)) ?? []
      for (const name of names) {
        if (name.endsWith(STORED_RUN_ENDING) && isKept(name.slice(0, -STORED_RUN_ENDING.length))) continue
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
