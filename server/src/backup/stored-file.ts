import { diskOperations, writeAll } from '../process/file-operations.ts'

/** Writes a file that must not be there yet, readable for its owner only; it is on the disk afterwards. */
export async function storeFile(path: string, text: string): Promise<void> {
  const file = await diskOperations.open(path, 'wx')
  try {
    await writeAll(diskOperations, file, Buffer.from(text), 0)
    await diskOperations.sync(file)
  } finally {
    await diskOperations.close(file)
  }
}
