import { existsSync, rmSync, statSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

// What both threads need of SQLite. The one that answers questions loads nothing of the core, which makes it light.

/** ERROR, CORRUPT, CONSTRAINT and NOTADB: our own statements on our own tables never lead to these. */
const DAMAGE_CODES = [1, 11, 19, 26]
const SQLITE_FULL = 13
const SQLITE_CANTOPEN = 14
const BUSY_TIMEOUT_MS = 5_000

export function openDatabase(file: string, { readOnly = false } = {}): DatabaseSync {
  return new DatabaseSync(file, { readOnly, timeout: BUSY_TIMEOUT_MS })
}

/**
 * Opens tables for reading and closes them afterwards. Where SQLite can not make its `-shm` file beside them, as on a
 * read-only mount, it reads the file alone, or a copy of file and log where there is a log.
 */
export async function withTables<Value>(
  file: string,
  use: (database: DatabaseSync) => Value | Promise<Value>,
): Promise<Value> {
  if (isReadable(file)) return using(openDatabase(file, { readOnly: true }), use)
  const log = `${file}-wal`
  if (!existsSync(log) || statSync(log).size === 0) {
    const alone = pathToFileURL(file)
    alone.searchParams.set('immutable', '1')
    return using(new DatabaseSync(alone, { readOnly: true }), use)
  }
  const folder = await mkdtemp(join(tmpdir(), 'quipu-views-'))
  try {
    const copy = join(folder, 'views.sqlite')
    await copyFile(file, copy)
    await copyFile(log, `${copy}-wal`)
    return await using(openDatabase(copy), use)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function using<Value>(
  database: DatabaseSync,
  use: (database: DatabaseSync) => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await use(database)
  } finally {
    database.close()
  }
}

/** Whether SQLite can open the tables where they are. Damage is for the caller to find. */
function isReadable(file: string): boolean {
  let database: DatabaseSync | undefined
  try {
    database = openDatabase(file, { readOnly: true })
    database.prepare('PRAGMA schema_version').get()
    return true
  } catch (error) {
    return ((error as { errcode?: number }).errcode ?? 0) % 256 !== SQLITE_CANTOPEN
  } finally {
    database?.close()
  }
}

/** The file is gone, with what SQLite keeps beside it. */
export function dropTables(file: string): void {
  // The log first: found beside a new file of the same name, it would be taken for that one's.
  for (const part of [`${file}-wal`, `${file}-shm`, file]) rmSync(part, { force: true })
}

/** SQLite found that the content of the file is not what was written. */
export function isDamage(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode
  return code !== undefined && DAMAGE_CODES.includes(code & 0xff)
}

/** The disk has no room for what was to be written. */
export const isFull = (error: unknown): boolean =>
  ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_FULL

/** Text that has no form in UTF-8 becomes a blob, so that no two texts share a key. */
export const keyOf = (text: string): string | Buffer =>
  text.isWellFormed() ? text : Buffer.from(text, 'utf16le')
