import { DatabaseSync } from 'node:sqlite'
import { UUID_BYTES, writeUuid } from '../../binary/hex.ts'
import { sqliteCode } from '../../data-folder/sqlite-code.ts'

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
  const code = sqliteCode(error)
  return code !== undefined && DAMAGE_CODES.includes(code & 0xff)
}

/** The disk is full. */
export const isFull = (error: unknown): boolean => (sqliteCode(error) ?? 0) % 256 === SQLITE_FULL

/** An id as a column value. A UUID takes 16 bytes: with texts, the indexes cost twice the CPU time. */
export function idOf(text: string): string | Buffer {
  const bytes = Buffer.allocUnsafe(UUID_BYTES)
  return writeUuid(text, bytes, 0) ? bytes : text
}

const ILL_FORMED = Buffer.from([0xff])

/** A text of a client as a column value. No two texts share one: UTF-8 cannot represent every text, so others are bytes. */
export const databaseKey = (text: string): string | Buffer =>
  text.isWellFormed() ? idOf(text) : Buffer.concat([ILL_FORMED, Buffer.from(text, 'utf16le')])

/** SQL: an id as text. */
const idText = (column: string): string => {
  const part = (from: number, length: number) => `substr(hex(${column}), ${from}, ${length})`
  const parts = [part(1, 8), part(9, 4), part(13, 4), part(17, 4), part(21, 12)]
  return `iif(typeof(${column}) = 'blob', lower(${parts.join(` || '-' || `)}), ${column})`
}

const readableColumns = {
  orders: `client_id, submitted, created, symbol, side, is_open, ${idText('parent')} AS parent, record`,
  requests: 'label, created, kind, status, underlying, issuer, network, record',
  history: 'kind, record',
} as const

export type ReadableTable = keyof typeof readableColumns

/** SQL of all rows of a table with world, account and id as text, sorted by these. */
export const readableRows = (table: ReadableTable, columns: string = readableColumns[table]): string =>
  `SELECT world, account, ${idText(`${table}.id`)} AS id${columns && `, ${columns}`}
  FROM owners JOIN ${table} USING (owner) ORDER BY world, account, ${table}.id`
