import { existsSync, rmSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AccountId, Order, WorldId } from '@quipu/core'
import { errorMessage, missing } from '@quipu/core/values'
import type { JournalPosition } from '../../journal/journal.ts'
import type { Changes, OrderKey } from '../projection.ts'
import { orderRecords } from '../records.ts'
import { type ColumnTypes, historyRow, orderRow, requestRow, updatesRow } from '../rows.ts'
import { databaseKey, idOf, isDamage, openDatabase } from './database.ts'

/** Raise the format when a table or the encoding of an order or request changes. Older files are then rebuilt. */
export const TABLES_FORMAT = 4

// Ids are random, so writes touch pages all over the indexes. Measured for 67,110 orders: 3.2 s of CPU with SQLite's
// default of 2 MiB and 1,000 log pages, 2.1 s with 64 MiB and 8,000 pages. For 200,000 orders: 7.9 s with 64 MiB, 8.3 s
// with 16 MiB. The reader thread uses the default of 2 MiB.
const CACHE_KIB = 16_384
const CHECKPOINT_PAGES = 8_000

/**
 * Every table starts with the owner, which stands for a world and an account. Each row has the whole record; the other
 * columns filter and sort lists. The last columns of an index only avoid reading rows that do not match.
 */
const schema = `
  CREATE TABLE progress (
    world TEXT PRIMARY KEY, position INTEGER NOT NULL, mark INTEGER NOT NULL, mark_hash TEXT
  ) STRICT;
  CREATE TABLE owners (
    owner INTEGER PRIMARY KEY, world TEXT NOT NULL, account TEXT NOT NULL, UNIQUE (world, account)
  ) STRICT;
  CREATE TABLE orders (
    owner INTEGER NOT NULL, id ANY NOT NULL, client_id ANY NOT NULL,
    submitted INTEGER NOT NULL, created INTEGER NOT NULL, symbol TEXT NOT NULL, side TEXT NOT NULL,
    is_open INTEGER NOT NULL, parent ANY, record BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX orders_by_id ON orders (owner, id);
  CREATE UNIQUE INDEX orders_by_client_id ON orders (owner, client_id);
  CREATE INDEX orders_by_place ON orders (owner, submitted, created, id, symbol, side, is_open);
  CREATE INDEX open_orders_by_place ON orders (owner, submitted, created, id, symbol, side)
    WHERE is_open = 1;
  CREATE INDEX orders_by_parent ON orders (owner, parent, created, id) WHERE parent IS NOT NULL;
  CREATE TABLE requests (
    owner INTEGER NOT NULL, id ANY NOT NULL, label ANY, created INTEGER NOT NULL,
    kind TEXT NOT NULL, status TEXT NOT NULL, underlying TEXT NOT NULL, issuer TEXT NOT NULL,
    network TEXT NOT NULL, record BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX requests_by_id ON requests (owner, id);
  CREATE INDEX requests_by_label ON requests (owner, label, created, id) WHERE label IS NOT NULL;
  CREATE INDEX requests_by_age ON requests
    (owner, created, id, status, underlying, issuer, network, kind);
  CREATE TABLE history (
    owner INTEGER NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, record TEXT NOT NULL,
    PRIMARY KEY (owner, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX history_but_fills ON history (owner, id) WHERE kind <> 'fill';
  CREATE TABLE updates (
    owner INTEGER NOT NULL, id TEXT NOT NULL, record BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX updates_by_id ON updates (owner, id);
  PRAGMA user_version = ${TABLES_FORMAT};
`

const putOrder = `
  INSERT INTO orders (owner, id, client_id, submitted, created, symbol, side, is_open, parent, record)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (owner, id)
  DO UPDATE SET submitted = excluded.submitted, symbol = excluded.symbol, is_open = excluded.is_open,
    parent = excluded.parent, record = excluded.record`

const putRequest = `
  INSERT INTO requests (owner, id, label, created, kind, status, underlying, issuer, network, record)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (owner, id)
  DO UPDATE SET label = excluded.label, status = excluded.status, underlying = excluded.underlying,
    record = excluded.record`

/** Only an idempotency key that is used again, after its response was dropped, has a row already. */
const putHistory = `
  INSERT INTO history (owner, id, kind, record) VALUES (?, ?, ?, ?)
  ON CONFLICT (owner, id) DO UPDATE SET record = excluded.record`
const putUpdates = 'INSERT INTO updates (owner, id, record) VALUES (?, ?, ?)'

/**
 * The position of the tables, and the last position with a known journal hash. A different hash there means another
 * journal.
 */
export type TablesState = { readonly position: number; readonly mark: JournalPosition | undefined }

/** The query tables of one world, for the one thread that writes them. */
export class Tables {
  readonly #database: DatabaseSync
  readonly #world: WorldId
  readonly #putOrder: StatementSync
  readonly #putRequest: StatementSync
  readonly #putHistory: StatementSync
  readonly #putUpdates: StatementSync
  readonly #putPosition: StatementSync
  readonly #putMark: StatementSync
  readonly #getOrder: StatementSync
  #owners: Map<string, number>
  readonly #columnTypes: ColumnTypes<number | string | Buffer> = {
    owner: (accountId) => this.#owners.get(accountId) ?? this.#addOwner(accountId),
    id: idOf,
    key: databaseKey,
    flag: Number,
  }
  #position = 0

  constructor(file: string, world: WorldId) {
    this.#database = open(file)
    this.#world = world
    this.#putOrder = this.#database.prepare(putOrder)
    this.#putRequest = this.#database.prepare(putRequest)
    this.#putHistory = this.#database.prepare(putHistory)
    this.#putUpdates = this.#database.prepare(putUpdates)
    this.#putPosition = this.#database.prepare('UPDATE progress SET position = ? WHERE world = ?')
    this.#putMark = this.#database.prepare('UPDATE progress SET mark = ?, mark_hash = ? WHERE world = ?')
    this.#getOrder = this.#database.prepare('SELECT record FROM orders WHERE owner = ? AND id = ?')
    this.#database.prepare('INSERT OR IGNORE INTO progress VALUES (?, 0, 0, NULL)').run(world)
    this.#position = this.tablesState().position
    this.#owners = this.#readOwners()
  }

  get position(): number {
    return this.#position
  }

  tablesState(): TablesState {
    const found =
      this.#database.prepare('SELECT * FROM progress WHERE world = ?').get(this.#world) ??
      missing('the progress')
    const mark =
      found.mark_hash === null ? undefined : { seq: Number(found.mark), hash: `${found.mark_hash}` }
    return { position: Number(found.position), mark }
  }

  /** The stored records of orders. */
  orders(keys: readonly OrderKey[]): readonly Order[] {
    return keys.flatMap(({ accountId, orderId }) => {
      const row = this.#getOrder.get(this.#owners.get(accountId) ?? null, idOf(orderId))
      return row ? [orderRecords.read(row['record'] as Uint8Array)] : []
    })
  }

  /** Writes rows and position in one transaction, so that a crash cannot separate them. */
  write(changes: Changes, hash?: string): void {
    try {
      this.#write(changes, hash)
    } catch (error) {
      this.#rollBack()
      this.#owners = this.#readOwners()
      throw error
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK')
    } catch {
      // SQLite has already ended the transaction. Node 22.13 cannot tell whether there is one.
    }
  }

  #write({ seq, orders, requests, history, updates }: Changes, hash?: string): void {
    this.#database.exec('BEGIN')
    for (const order of orders) this.#putOrder.run(...orderRow(order, this.#columnTypes))
    for (const request of requests) this.#putRequest.run(...requestRow(request, this.#columnTypes))
    for (const row of history) this.#putHistory.run(...historyRow(row, this.#columnTypes))
    for (const row of updates) this.#putUpdates.run(...updatesRow(row, this.#columnTypes))
    this.#putPosition.run(seq, this.#world)
    if (hash !== undefined) this.#putMark.run(seq, hash, this.#world)
    this.#database.exec('COMMIT')
    this.#position = seq
  }

  #readOwners(): Map<string, number> {
    const rows = this.#database.prepare('SELECT account, owner FROM owners WHERE world = ?').all(this.#world)
    return new Map(rows.map(({ account, owner }) => [String(account), Number(owner)]))
  }

  #addOwner(accountId: AccountId): number {
    const { lastInsertRowid } = this.#database
      .prepare('INSERT INTO owners (world, account) VALUES (?, ?)')
      .run(this.#world, accountId)
    this.#owners.set(accountId, Number(lastInsertRowid))
    return Number(lastInsertRowid)
  }

  /** Makes all written rows durable. */
  sync(): void {
    this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)')
  }

  close(): void {
    this.#database.close()
  }
}

/** Why the tables in a file cannot be used; undefined if they can or the file does not exist. Throws other errors. */
export function whyUnusable(file: string): string | undefined {
  if (!existsSync(file)) return undefined
  let database: DatabaseSync | undefined
  try {
    database = openDatabase(file)
    const [version, tables] = [formatOf(database), tableCount(database)]
    if (tables === 0 || version === TABLES_FORMAT) return undefined
    return `it has format ${version}, this version writes ${TABLES_FORMAT}`
  } catch (error) {
    if (isDamage(error)) return `it is damaged: ${errorMessage(error)}`
    throw error
  } finally {
    database?.close()
  }
}

function open(file: string): DatabaseSync {
  const database = openDatabase(file)
  // A power cut may lose the last transactions, but never an earlier one. Lost rows are rebuilt from the journal.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  database.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  if (tableCount(database) === 0) database.exec(`BEGIN; ${schema} COMMIT`)
  return database
}

const formatOf = (database: DatabaseSync): number =>
  Number((database.prepare('PRAGMA user_version').get() ?? missing('the format'))['user_version'])

const tableCount = (database: DatabaseSync): number =>
  Number(
    (database.prepare('SELECT count(*) AS count FROM sqlite_schema').get() ?? missing('a count'))['count'],
  )

/** Deletes the file and the files that SQLite keeps beside it. */
export function dropTables(file: string): void {
  // The log first: SQLite would apply a leftover log to a new file of the same name.
  for (const part of [`${file}-wal`, `${file}-shm`, file]) rmSync(part, { force: true })
}
