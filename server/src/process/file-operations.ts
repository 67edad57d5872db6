import fs from 'node:fs'
import { mkdtemp, open, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { giveTo, ownerToKeep } from './keep-owner.ts'

/** The file operations of the journal. They run on the thread pool, off the event loop. */
export type FileOperations = {
  readonly open: (path: string, flags: string) => Promise<number>
  /** Returns the number of written bytes, which may be fewer than requested. */
  readonly write: (file: number, bytes: Buffer, at: number) => Promise<number>
  /** Makes the content durable, with the metadata that is needed to read it. */
  readonly datasync: (file: number) => Promise<void>
  /** Makes the content and all metadata durable. */
  readonly sync: (file: number) => Promise<void>
  readonly truncate: (file: number, length: number) => Promise<void>
  readonly rename: (from: string, to: string) => Promise<void>
  /** Makes the names in the folder durable. */
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
    // Windows cannot open a folder, and makes names durable by itself.
    if (process.platform === 'win32') return
    const folder = await open(path)
    await folder.sync().finally(() => folder.close())
  },
}

/** Writes all bytes, in several calls if needed. */
export async function writeAll(operations: FileOperations, file: number, bytes: Buffer, at: number) {
  for (let written = 0; written < bytes.length; ) {
    const taken = await operations.write(file, bytes.subarray(written), at + written)
    if (taken === 0) throw new Error(`the disk accepted ${written} of ${bytes.length} bytes`)
    written += taken
  }
}

/** Writes a file that only its owner can read, with durable content. Flags `wx`: the file must not exist. */
export async function storeFile(
  operations: FileOperations,
  path: string,
  text: string,
  flags: 'w' | 'wx' = 'w',
): Promise<void> {
  const file = await operations.open(path, flags)
  try {
    await writeAll(operations, file, Buffer.from(text), 0)
    await operations.sync(file)
  } finally {
    await operations.close(file)
  }
}

/** Uses a temporary folder and deletes it afterwards. */
export async function inTemporaryFolder<Value>(
  prefix: string,
  use: (folder: string) => Value | Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), prefix))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Creates a folder that only its owner can enter, and its parents, durably. */
export async function makeFolder(operations: FileOperations, path: string): Promise<void> {
  for (const made of makeFolders(path)) await operations.syncFolder(dirname(made))
}

/**
 * Creates a folder that only its owner can enter, and its parents. Returns the created folders, the outermost last.
 * Node's `recursive` option never returns on file systems that report "no such file" for every new folder, such as
 * /proc.
 */
export function makeFolders(path: string): readonly string[] {
  const folder = resolve(path)
  const missing: string[] = []
  for (let at = folder; !fs.existsSync(at); at = dirname(at)) missing.push(at)
  for (const one of missing.toReversed()) makeOne(one)
  if (!fs.statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`)
  return missing
}

/** Another process may create the folder at the same time. A folder that root creates belongs to the owner of its parent. */
function makeOne(path: string): void {
  try {
    fs.mkdirSync(path, { mode: 0o700 })
    giveTo(path, ownerToKeep(dirname(path)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function settle<Value = void>(call: (done: (error: unknown, value?: Value) => void) => void): Promise<Value> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value as Value)))
  })
}
