import { existsSync, rmSync, statSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { inTemporaryFolder } from '../process/file-operations.ts'

// The SQLite functions of both threads. The reader thread does not load the core, which saves memory.

/** ERROR, CORRUPT, CONSTRAINT and NOTADB: on undamaged tables our statements never cause these. */
const DAMAGE_CODES = [1, 11, 19, 26]
const SQLITE_FULL = 13
const SQLITE_CANTOPEN = 14
const BUSY_TIMEOUT_MS = 5_000

export function openDatabase(file: string, { readOnly = false } = {}): DatabaseSync {
  return new DatabaseSync(file, { readOnly, timeout: BUSY_TIMEOUT_MS })
}

/**
 * Opens tables for reading and closes them afterwards. If SQLite cannot create its `-shm` file, as on a read-only
 * mount, it reads the file as immutable, or a copy of the file and its log if a log exists.
 */
export async function withTables<Value>(
  file: string,
  use: (database: DatabaseSync) => Value | Promise<Value>,
): Promise<Value> {
  if (isReadable(file)) return using(openDatabase(file, { readOnly: true }), use)
  const log = `${file}-wal`
  if (!existsSync(log) || statSync(log).size === 0) {
    const immutable = pathToFileURL(file)
    immutable.searchParams.set('immutable', '1')
    return using(new DatabaseSync(immutable, { readOnly: true }), use)
  }
  return inTemporaryFolder('quipu-views-', async (folder) => {
    const copy = join(folder, 'views.sqlite')
    await copyFile(file, copy)
    await copyFile(log, `${copy}-wal`)
    return using(openDatabase(copy), use)
  })
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

/** Whether SQLite can open the tables in place. Damage is detected by the caller. */
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

/** Deletes the file and the files that SQLite keeps beside it. */
export function dropTables(file: string): void {
  // The log first: SQLite would apply a leftover log to a new file of the same name.
  for (const part of [`${file}-wal`, `${file}-shm`, file]) rmSync(part, { force: true })
}

/** SQLite reports that the content of the file is damaged. */
export function isDamage(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode
  return code !== undefined && DAMAGE_CODES.includes(code & 0xff)
}

/** The disk is full. */
export const isFull = (error: unknown): boolean =>
  ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_FULL

/** Text that UTF-8 cannot represent becomes a blob, so that no two texts share a key. */
export const keyOf = (text: string): string | Buffer =>
  text.isWellFormed() ? text : Buffer.from(text, 'utf16le')
