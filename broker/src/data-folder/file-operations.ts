import fs from 'node:fs'
import { appendFile, mkdtemp, open, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { errorCode } from '@quipu/core/values'
import { giveTo, ownerToKeep } from './keep-owner.ts'

/**
 * w   a new file; an existing name is removed first
 * wx  a new file; the name must not exist
 * r+  an existing file
 * a   the end of a file, which need not exist
 *
 * None of them follows a symbolic link: another user may own the folder and have made the link.
 */
export type OpenFlags = 'w' | 'wx' | 'r+' | 'a'

// Windows has no such flag.
const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_RDWR, O_WRONLY } = fs.constants
const OPEN_FLAGS: Readonly<Record<OpenFlags, number>> = {
  w: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
  wx: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
  'r+': O_RDWR | O_NOFOLLOW,
  a: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW,
}

/** The file operations of the journal. They run on the thread pool, off the event loop. */
export type FileOperations = {
  readonly open: (path: string, flags: OpenFlags) => Promise<number>
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
  open: async (path, flags) => {
    if (flags === 'w') await rm(path, { force: true })
    return settle((done) => fs.open(path, OPEN_FLAGS[flags], 0o600, done))
  },
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

/** Opens a file that only its owner can read. Synchronous, for the lock and the log of a process. */
export function openFileSync(path: string, flags: OpenFlags): number {
  if (flags === 'w') fs.rmSync(path, { force: true })
  return fs.openSync(path, OPEN_FLAGS[flags], 0o600)
}

/** Writes a file that only its owner can read. */
export function writeNewFileSync(path: string, text: string, { isDurable = false } = {}): void {
  const file = openFileSync(path, 'w')
  try {
    fs.writeFileSync(file, text, { flush: isDurable })
  } finally {
    fs.closeSync(file)
  }
}

/** Adds text to a file that only its owner can read. */
export const appendText = (path: string, text: string): Promise<void> =>
  appendFile(path, text, { mode: 0o600, flag: OPEN_FLAGS.a })

/** Writes over an existing file in one step, with spaces up to its length. */
export function overwriteFileSync(path: string, text: string): void {
  const file = openFileSync(path, 'r+')
  try {
    const { size } = fs.fstatSync(file)
    fs.writeSync(file, text + ' '.repeat(Math.max(0, size - Buffer.byteLength(text))), 0)
  } finally {
    fs.closeSync(file)
  }
}

/** Replaces a file that only its owner can read. A reader never sees half of it. */
export function replaceFileSync(path: string, text: string, options?: { readonly isDurable: boolean }): void {
  const unfinished = `${path}.tmp`
  writeNewFileSync(unfinished, text, options)
  giveTo(unfinished, ownerToKeep(dirname(path)))
  fs.renameSync(unfinished, path)
}

/** Replaces a file that only its owner can read, with durable content. The caller syncs the folder. */
export async function replaceFile(operations: FileOperations, path: string, text: string): Promise<void> {
  const unfinished = `${path}.tmp`
  await storeFile(operations, unfinished, text)
  giveTo(unfinished, ownerToKeep(dirname(path)))
  await operations.rename(unfinished, path)
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
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

function settle<Value = void>(call: (done: (error: unknown, value?: Value) => void) => void): Promise<Value> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value as Value)))
  })
}
