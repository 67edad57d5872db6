import fs from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** What the journal asks of the disk when it writes. Everything runs on the thread pool, off the event loop. */
export type FileOperations = {
  readonly open: (path: string, flags: string) => Promise<number>
  /** Answers how many bytes were taken, which may be fewer than were given. */
  readonly write: (file: number, bytes: Buffer, at: number) => Promise<number>
  /** The content, and what is needed to read it back, is on the disk. */
  readonly datasync: (file: number) => Promise<void>
  /** The content and all about it is on the disk. */
  readonly sync: (file: number) => Promise<void>
  readonly truncate: (file: number, length: number) => Promise<void>
  readonly rename: (from: string, to: string) => Promise<void>
  /** The names in the folder are on the disk. */
  readonly syncFolder: (path: string) => Promise<void>
  readonly close: (file: number) => Promise<void>
}

// Callbacks instead of file handles: two calls per group are the hot path.
export const diskOperations: FileOperations = {
  open: (path, flags) => settle((done) => fs.open(path, flags, 0o600, done)),
  write: (file, bytes, at) => settle((done) => fs.write(file, bytes, 0, bytes.length, at, done)),
  datasync: (file) => settle((done) => fs.fdatasync(file, done)),
  sync: (file) => settle((done) => fs.fsync(file, done)),
  truncate: (file, length) => settle((done) => fs.ftruncate(file, length, done)),
  close: (file) => settle((done) => fs.close(file, done)),
  rename: (from, to) => rename(from, to),
  syncFolder: async (path) => {
    // Windows can not open a folder, and keeps names without being asked.
    if (process.platform === 'win32') return
    const folder = await open(path)
    await folder.sync().finally(() => folder.close())
  },
}

/** Writes everything, however the disk splits it. */
export async function writeAll(operations: FileOperations, file: number, bytes: Buffer, at: number) {
  for (let written = 0; written < bytes.length; ) {
    const taken = await operations.write(file, bytes.subarray(written), at + written)
    if (taken === 0) throw new Error(`the disk took ${written} of ${bytes.length} bytes`)
    written += taken
  }
}

/** Makes a folder that only its owner can enter, and its parents; their names are on the disk afterwards. */
export async function makeFolder(operations: FileOperations, path: string): Promise<void> {
  for (const made of makeFolders(path)) await operations.syncFolder(dirname(made))
}

/**
 * Makes a folder that only its owner can enter, and its parents. Returns the folders that it made, the outermost last.
 * Node's own `recursive` never returns where a file system answers "no such file" to every new folder, as /proc does.
 */
export function makeFolders(path: string): readonly string[] {
  const folder = resolve(path)
  const missing: string[] = []
  for (let at = folder; !fs.existsSync(at); at = dirname(at)) missing.push(at)
  for (const one of missing.toReversed()) makeOne(one)
  if (!fs.statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`)
  return missing
}

/** Another process may have made the folder in the meantime. */
function makeOne(path: string): void {
  try {
    fs.mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function settle<Value = void>(call: (done: (error: unknown, value?: Value) => void) => void): Promise<Value> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value as Value)))
  })
}
