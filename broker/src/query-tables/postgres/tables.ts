import type { Order, WorldId } from '@quipu/core'
import { Fenced } from '../../journal/journal.ts'
import { isHeld } from '../../journal/postgres/lease.ts'
import { type Pool, type PostgresConnection, type Queries, withPooled } from '../../postgres/connection.ts'
import { transaction } from '../../postgres/statements.ts'
import type { Changes, OrderKey } from '../projection.ts'
import { orderRecords } from '../records.ts'
import { type ColumnTypes, historyRow, orderRow, requestRow, updatesRow } from '../rows.ts'
import { TABLES_FORMAT, type TablesState } from '../sqlite/tables.ts'
import type { WritableTables } from '../writer.ts'
import { keyBytes } from './keys.ts'

const columnTypes: ColumnTypes<string | Buffer | boolean> = {
  owner: (accountId) => accountId,
  id: (id) => id,
  key: keyBytes,
  flag: Boolean,
}

const putOrders = `
  INSERT INTO quipu_orders (world, account, id, client_id, submitted, created, symbol, side, is_open, parent, record)
  SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bytea[], $5::bigint[], $6::bigint[], $7::text[], $8::text[],
    $9::boolean[], $10::text[], $11::bytea[])
  ON CONFLICT (world, account, id)
  DO UPDATE SET submitted = excluded.submitted, symbol = excluded.symbol, is_open = excluded.is_open,
    parent = excluded.parent, record = excluded.record`

const putRequests = `
  INSERT INTO quipu_requests
    (world, account, id, label, created, kind, status, underlying, issuer, network, record)
  SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bytea[], $5::bigint[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::bytea[])
  ON CONFLICT (world, account, id)
  DO UPDATE SET label = excluded.label, status = excluded.status, underlying = excluded.underlying,
    record = excluded.record`

const putHistory = `
  INSERT INTO quipu_history (world, account, id, kind, record)
  SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[])
  ON CONFLICT (world, account, id) DO UPDATE SET record = excluded.record`

const putUpdates = `
  INSERT INTO quipu_updates (world, account, id, record)
  SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bytea[])`

const putPosition = `
  UPDATE quipu_query_tables SET position = $3, mark = CASE WHEN $4::text IS NULL THEN mark ELSE $3 END,
    mark_hash = coalesce($4, mark_hash)
  WHERE world = $1 AND writer = $2`

const getOrders = `
  SELECT record FROM quipu_orders JOIN unnest($2::text[], $3::text[]) AS wanted (account, id) USING (account, id)
  WHERE world = $1`

/**
 * Rejects the previous writer from now on, because its rows would be older. Every later change of the tables carries the
 * number of the writer.
 */
const takeOver = `
  INSERT INTO quipu_query_tables AS found (world, format, writer, position, mark)
  SELECT $1::text, $2::integer, 1, 0, 0 WHERE ${isHeld('$1', '$3')}
  ON CONFLICT (world) DO UPDATE SET writer = found.writer + 1
  RETURNING writer, position, mark, mark_hash`

/** The query tables of one world in PostgreSQL, for the one thread that writes them. */
export class PostgresTables implements WritableTables {
  readonly #pool: Pool
  readonly #world: WorldId
  readonly #writer: number
  readonly #tablesState: TablesState
  #position: number

  private constructor(pool: Pool, world: WorldId, writer: number, tablesState: TablesState) {
    this.#pool = pool
    this.#world = world
    this.#writer = writer
    this.#tablesState = tablesState
    this.#position = tablesState.position
  }

  /** Fails with `Fenced` if another process has taken the journal over. */
  static async open(pool: Pool, world: WorldId, fence: number): Promise<PostgresTables> {
    const { rows } = await pool.query(takeOver, [world, TABLES_FORMAT, fence])
    if (rows.length === 0) throw new Fenced(world, 'another')
    const { writer, position, mark, mark_hash: hash } = rows[0]
    const tablesState = {
      position: Number(position),
      mark: hash === null ? undefined : { seq: Number(mark), hash },
    }
    return new PostgresTables(pool, world, Number(writer), tablesState)
  }

  get position(): number {
    return this.#position
  }

  tablesState(): TablesState {
    return this.#tablesState
  }

  async orders(keys: readonly OrderKey[]): Promise<readonly Order[]> {
    if (keys.length === 0) return []
    const columns = [keys.map(({ accountId }) => accountId), keys.map(({ orderId }) => orderId)]
    const values = [this.#world, ...columns]
    const { rows } = await this.#pool.query({ name: 'changed orders', text: getOrders, values })
    return rows.map(({ record }) => orderRecords.read(record))
  }

  /** Writes rows and position in one transaction, so that a crash cannot separate them. */
  async write({ seq, orders, requests, history, updates }: Changes, hash?: string): Promise<void> {
    await withPooled(this.#pool, (connection) =>
      transaction(connection, async () => {
        // A power cut may lose the last transactions, but never an earlier one. Lost rows are rebuilt from the journal.
        await connection.query('SET LOCAL synchronous_commit = off')
        const position = [this.#world, this.#writer, seq, hash]
        const { rowCount } = await connection.query({ name: 'position', text: putPosition, values: position })
        if (rowCount !== 1) throw new Error(`the query tables of ${this.#world} were taken over`)
        await this.#put(
          connection,
          'orders',
          putOrders,
          orders.map((order) => orderRow(order, columnTypes)),
        )
        await this.#put(
          connection,
          'requests',
          putRequests,
          requests.map((request) => requestRow(request, columnTypes)),
        )
        await this.#put(
          connection,
          'history',
          putHistory,
          history.map((row) => historyRow(row, columnTypes)),
        )
        await this.#put(
          connection,
          'updates',
          putUpdates,
          updates.map((row) => updatesRow(row, columnTypes)),
        )
      }),
    )
    this.#position = seq
  }

  /** Nothing to do: a later write, such as a snapshot, cannot be durable before earlier writes. */
  sync(): void {}

  /** Nothing to do: other worlds use the connections too. */
  close(): void {}

  async #put(
    connection: Queries,
    name: string,
    text: string,
    rows: readonly (readonly unknown[])[],
  ): Promise<void> {
    const [first] = rows
    if (!first) return
    const columns = first.map((_, column) => rows.map((row) => row[column]))
    await connection.query({ name, text, values: [this.#world, ...columns] })
  }
}

/** Why the tables of a world cannot be used; undefined if they can or do not exist. */
export async function whyPostgresUnusable(
  connection: PostgresConnection,
  world: WorldId,
): Promise<string | undefined> {
  const { rows } = await connection.query('SELECT format FROM quipu_query_tables WHERE world = $1', [world])
  const format = rows[0]?.format
  if (format === undefined || format === TABLES_FORMAT) return undefined
  return `they have format ${format}, this version writes ${TABLES_FORMAT}`
}

/** Deletes the rows of a world. Call it in a transaction that holds the journal. */
export async function deletePostgresTables(connection: PostgresConnection, world: WorldId): Promise<void> {
  for (const table of [
    'quipu_query_tables',
    'quipu_orders',
    'quipu_requests',
    'quipu_history',
    'quipu_updates',
  ])
    await connection.query(`DELETE FROM ${table} WHERE world = $1`, [world])
}
