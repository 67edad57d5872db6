import { DatabaseSync } from 'node:sqlite'

// The SQLite functions of both threads. The reader thread loads neither the core nor files: it starts faster.

/** ERROR, CORRUPT, CONSTRAINT and NOTADB: on undamaged tables our statements never cause these. */
const DAMAGE_CODES = [1, 11, 19, 26]
const SQLITE_FULL = 13
const BUSY_TIMEOUT_MS = 5_000

export function openDatabase(file: string, { readOnly = false } = {}): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly })
  // Node 22.13 has no option `timeout`.
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  return database
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
