import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The bytes of a file, or of the files in a folder and its folders; 0 if it does not exist or cannot be read. */
export async function bytesAt(path: string): Promise<number> {
  const found = await ifExists(stat(path))
  if (!found?.isDirectory()) return found?.size ?? 0
  const names = (await ifExists(readdir(path))) ?? []
  const sizes = await Promise.all(names.map((name) => bytesAt(join(path, name))))
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

/** A file may be deleted meanwhile, and a folder of another user may be closed to this one. */
const ifExists = <Value>(reading: Promise<Value>): Promise<Value | undefined> =>
  reading.catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(error.code ?? '')) return undefined
    throw error
  })
