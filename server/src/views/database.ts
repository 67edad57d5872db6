import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

// What both threads need of SQLite. The one that answers questions loads nothing of the core, which makes it light.

/** ERROR, CORRUPT, CONSTRAINT and NOTADB: our own statements on our own tables never lead to these. */
const DAMAGE_CODES = [1, 11, 19, 26]
const BUSY_TIMEOUT_MS = 5_000

export function openDatabase(file: string, { readOnly = false } = {}): DatabaseSync {
  return new DatabaseSync(file, { readOnly, timeout: BUSY_TIMEOUT_MS })
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

/** Text that has no form in UTF-8 becomes a blob, so that no two texts share a key. */
export const keyOf = (text: string): string | Buffer =>
  text.isWellFormed() ? text : Buffer.from(text, 'utf16le')
