import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { errorMessage, missing } from '@quipu/core/values'
import { ensureFolder } from '../../data-folder/folder.ts'
import { sqliteCode } from '../../data-folder/sqlite-code.ts'
import { StoreDamaged, StoreNewer } from './failures.ts'

/** The layout of the database. */
export const STORE_FORMAT = 1

const SCHEMA = `
  CREATE TABLE series (
    name TEXT PRIMARY KEY, kind TEXT NOT NULL, symbol TEXT NOT NULL, frame TEXT,
    generation INTEGER NOT NULL, digest TEXT NOT NULL, rows INTEGER NOT NULL, bytes INTEGER NOT NULL,
    first TEXT NOT NULL, last TEXT NOT NULL
  ) STRICT;
  CREATE TABLE blocks (
    id INTEGER PRIMARY KEY, series TEXT NOT NULL, period INTEGER NOT NULL,
    since INTEGER NOT NULL, until INTEGER,
    rows INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, sha256 TEXT NOT NULL, data BLOB NOT NULL,
    UNIQUE (series, period, since)
  ) STRICT;
  CREATE INDEX replaced ON blocks (until) WHERE until IS NOT NULL;
  CREATE TABLE store (generation INTEGER NOT NULL) STRICT;
  INSERT INTO store VALUES (0);
  PRAGMA user_version = ${STORE_FORMAT};`

const BUSY_TIMEOUT_MS = 5_000

export const databasePath = (folder: string): string => join(folder, 'market.sqlite')

/** Opens the database of a store; without `create`, undefined if there is none. */
export function openMarketDatabase(folder: string, create: boolean): DatabaseSync | undefined {
  const path = databasePath(folder)
  if (!create && !existsSync(path)) return undefined
  ensureFolder(folder)
  return readingDatabase(path, () => {
    const database = new DatabaseSync(path)
    try {
      // Node 22.13 has no option `timeout`.
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
      prepare(path, database)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
}

/** Opens an existing database for reading; undefined if there is none. */
export function openReadOnly(folder: string): DatabaseSync | undefined {
  const path = databasePath(folder)
  if (!existsSync(path)) return undefined
  return readingDatabase(path, () => {
    const database = new DatabaseSync(path, { readOnly: true })
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    return database
  })
}

/** The number of the last import. */
export function generationOf(database: DatabaseSync): number {
  const row = database.prepare('SELECT generation FROM store').get() ?? missing('the generation')
  return Number(row['generation'])
}

/** Begins the transaction of an import, and returns its number. */
export function beginImport(database: DatabaseSync): number {
  database.exec('BEGIN IMMEDIATE; UPDATE store SET generation = generation + 1')
  return generationOf(database)
}

function formatOf(database: DatabaseSync): number {
  const row = database.prepare('PRAGMA user_version').get() ?? missing('the format')
  return Number(row['user_version'])
}

function prepare(path: string, database: DatabaseSync): void {
  const format = formatOf(database)
  if (format > STORE_FORMAT) throw new StoreNewer(path, format, STORE_FORMAT)
  if (format === STORE_FORMAT) return
  database.exec(`PRAGMA journal_mode = WAL; BEGIN IMMEDIATE;`)
  // Another process may have created the tables meanwhile.
  const isNew = formatOf(database) === 0
  database.exec(isNew ? `${SCHEMA} COMMIT` : 'COMMIT')
}

const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

/** Runs `read` and reports a damaged database as StoreDamaged. */
export function readingDatabase<Value>(path: string, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    const code = sqliteCode(error) ?? 0
    // The low byte is the primary result code.
    if ([SQLITE_CORRUPT, SQLITE_NOTADB].includes(code & 0xff))
      throw new StoreDamaged(path, errorMessage(error))
    throw error
  }
}
