import type { WorldId } from '@quipu/core'
import { Fenced } from '../../journal/journal.ts'
import { LeaseHeld } from '../../journal/lease.ts'
import { isHeld, whileHeld } from '../../journal/postgres/lease.ts'
import { readEvents } from '../../journal/postgres/reader.ts'
import { addressOf, type PostgresConnection, withConnection, withPooled } from '../../postgres/connection.ts'
import { migrate } from '../../postgres/migrations.ts'
import { write } from '../../postgres/statements.ts'
import { deletePostgresTables } from '../../query-tables/postgres/tables.ts'
import {
  type DurableRecord,
  type DurableStorage,
  durableRecordText,
  isJournalName,
  parseRecord,
  randomJournalName,
  type StoredWorld,
} from '../durable-storage.ts'
import { MAIN } from '../opening/open-main.ts'
import type { MainStore } from '../worlds.ts'
import type { MainStoreReport } from './main-store.ts'
import type { PostgresServer } from './postgres-server.ts'
import { postgresStore } from './postgres-store.ts'
import { WorldLease } from './world-lease.ts'

/** Durable worlds in PostgreSQL: a record for each, and rows in the tables of all worlds. */
export function durablePostgres(
  server: PostgresServer,
  report: Pick<MainStoreReport, 'warn'>,
): DurableStorage {
  const leased = new LeasedStores(server, report)
  const query: DurablePostgresQuery = async (text, values = []) =>
    (await (await server.select()).pool.query({ text, values: [...values] })).rows
  const deleteRows: DeleteRows = (name) =>
    leased.whileHeld(name, (connection) => deleteRowsOf(connection, name as WorldId))
  return {
    async list() {
      await migrate((await server.select()).url)
      await query('DELETE FROM quipu_worlds WHERE record IS NULL')
      const rows = await query('SELECT record FROM quipu_worlds ORDER BY world')
      const records = rows.map(({ record }) => parseRecord(record))
      const used = new Set(records.map(({ journal }) => journal))
      for (const { world } of await query('SELECT world FROM quipu_journals'))
        if (isJournalName(world) && !used.has(world)) await deleteAbandoned(leased, deleteRows, world)
      return records
    },
    isInMemory: false,
    store: (name) => leased.store(name),
    openJournal: (name) => leased.store(name).openJournal(),
    ...recordsOf(server, query, leased, (name) => deleteAbandoned(leased, deleteRows, name)),
    deleteJournal: deleteRows,
    released: (name) => leased.release(name),
    record: (world) => recordIn(query, world),
    stored: (world) => storedWorld(query, server, world),
    // The tables hold all worlds; the size of `main` is that of the tables.
    size: async () => ({ kind: 'postgres' }),
  }
}

/** The stores of journals that this process has, each with its lease. */
class LeasedStores {
  readonly #server: PostgresServer
  readonly #report: Pick<MainStoreReport, 'warn'>
  // The same store opens a world again after a failure: it gets it unless another process took it.
  readonly #stores = new Map<string, { readonly store: MainStore; readonly lease: WorldLease }>()

  constructor(server: PostgresServer, report: Pick<MainStoreReport, 'warn'>) {
    this.#server = server
    this.#report = report
  }

  store(name: string): MainStore {
    return this.#of(name).store
  }

  /** The name of a new journal. Only a journal with such a name is created; any other is that of a stored world. */
  newName(world: WorldId): string {
    const name = randomJournalName(world)
    this.#add(name, false)
    return name
  }

  /** The fencing number of a journal; 0 if this process has not held it. */
  fence(name: string): number {
    return this.#stores.get(name)?.lease.fence ?? 0
  }

  /** Runs statements on the rows of a journal while nobody can take it over. Takes its lease if it is free. */
  async whileHeld<Value>(
    name: string,
    run: (connection: PostgresConnection) => Promise<Value>,
  ): Promise<Value> {
    const { url } = await this.#server.select()
    return withConnection(url, async (connection) => {
      const fence = await this.#of(name).lease.take(connection, addressOf(url))
      return whileHeld(connection, fence, () => run(connection))
    })
  }

  async release(name: string): Promise<void> {
    const { store, lease } = this.#stores.get(name) ?? {}
    this.#stores.delete(name)
    lease?.forget()
    await store?.released?.()
  }

  #of(name: string) {
    return this.#stores.get(name) ?? this.#add(name, true)
  }

  #add(name: string, isStored: boolean) {
    const lease = new WorldLease(this.#server, name, isStored)
    const added = { store: postgresStore(this.#server, this.#report, name as WorldId, lease), lease }
    this.#stores.set(name, added)
    return added
  }
}

/** Deletes the journal of an interrupted change. A process that still writes it is fenced first. */
async function deleteAbandoned(leased: LeasedStores, deleteRows: DeleteRows, name: string): Promise<void> {
  try {
    await deleteRows(name)
  } catch (error) {
    // Another node deletes it.
    if (!(error instanceof LeaseHeld || error instanceof Fenced)) throw error
  } finally {
    await leased.release(name)
  }
}

type Records = Pick<
  DurableStorage,
  'usedCodes' | 'reserveCode' | 'newJournalName' | 'storeRecord' | 'deleteRecord'
>

/** The records of worlds. */
function recordsOf(
  server: PostgresServer,
  query: DurablePostgresQuery,
  leased: LeasedStores,
  deleteOld: DeleteRows,
): Records {
  return {
    usedCodes: () => usedCodes(query, deleteOld),
    reserveCode: (world, code) => reserveCode(query, world, code),
    newJournalName: (world) => leased.newName(world),
    async storeRecord(record, earlier) {
      const { world, code, journal } = record
      const of = earlier ?? journal
      const fences = [of, leased.fence(of), journal, leased.fence(journal)]
      const values = [world, code, durableRecordText(record), earlier ?? null, ...fences]
      const { pool } = await server.select()
      const { rowCount } = await withPooled(pool, (connection) =>
        write(connection, { text: storeRecord, values }),
      )
      if (rowCount !== 1) throw new Fenced(world, 'another')
    },
    deleteRecord: ({ world, code, journal }) =>
      leased.whileHeld(journal, async (connection) => {
        const values = [world, code, journal]
        await connection.query({ text: deleteRecord, values })
      }),
  }
}

type Row = {
  readonly world: string
  readonly code: string
  readonly record: string
  /** The driver returns 64-bit numbers as text. */
  readonly seq: string
}
type DeleteRows = (journal: string) => Promise<void>
type DurablePostgresQuery = (text: string, values?: readonly string[]) => Promise<readonly Row[]>

/** A process that has lost the world changes nothing, and none changes a world that another has created or reset. */
const storeRecord = `
  UPDATE quipu_worlds SET record = $3 WHERE world = $1 AND code = $2
    AND record::json ->> 'journal' IS NOT DISTINCT FROM $4::text
    AND ${isHeld('$5', '$6')} AND ${isHeld('$7', '$8')}`

/** The reserved code of a world has no record. */
const deleteRecord = `
  DELETE FROM quipu_worlds WHERE world = $1 AND code = $2 AND coalesce(record::json ->> 'journal', $3) = $3`

/** A reserved code without a record is left by a crash after this time: no creation takes so long. */
const INTERRUPTED = `record IS NULL AND reserved_at < now() - interval '10 minutes'`
/** The same of a journal that no record has and nobody holds, such as that of an interrupted reset. */
const selectAbandoned = `
  SELECT world FROM quipu_journals AS journal
  WHERE taken_at < now() - interval '10 minutes' AND coalesce(expires_at <= clock_timestamp(), true)
    AND NOT EXISTS (SELECT 1 FROM quipu_worlds WHERE record::json ->> 'journal' = journal.world)`

/** Deletes first what crashes have left. Nodes of a cluster do that here, because none of them lists all journals. */
async function usedCodes(query: DurablePostgresQuery, deleteRows: DeleteRows): Promise<ReadonlySet<string>> {
  for (const { world } of await query(selectAbandoned)) if (isJournalName(world)) await deleteRows(world)
  await query(`DELETE FROM quipu_worlds WHERE ${INTERRUPTED}`)
  return new Set((await query('SELECT code FROM quipu_worlds')).map(({ code }) => code))
}

/** The row of a new world has no record yet. Another process may add the same code or the same world first. */
async function reserveCode(query: DurablePostgresQuery, world: WorldId, code: string) {
  const reserved = await query(
    'INSERT INTO quipu_worlds (world, code) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING code',
    [world, code],
  )
  if (reserved.length > 0) return 'reserved'
  const sameName = await query('SELECT code FROM quipu_worlds WHERE world = $1', [world])
  return sameName.length > 0 ? 'worldNameTaken' : 'codeTaken'
}

async function recordIn(query: DurablePostgresQuery, world: WorldId): Promise<DurableRecord | undefined> {
  const [row] = await query('SELECT record FROM quipu_worlds WHERE world = $1 AND record IS NOT NULL', [
    world,
  ])
  return row && parseRecord(row.record)
}

/** The record and the journal of a world, whichever process holds it. */
async function storedWorld(
  query: DurablePostgresQuery,
  server: PostgresServer,
  world: WorldId,
): Promise<StoredWorld | undefined> {
  const record = await recordIn(query, world)
  if (!record && world !== MAIN) return undefined
  const journal = record?.journal ?? MAIN
  const [head] = await query('SELECT seq FROM quipu_journals WHERE world = $1', [journal])
  const seq = Number(head?.seq ?? 0)
  const { pool } = await server.select()
  return { record, seq, read: (after) => readEvents(pool, journal, after, seq) }
}

/** Deletes the journal, the query tables, the snapshots and the refused orders of a world. */
async function deleteRowsOf(connection: PostgresConnection, world: WorldId): Promise<void> {
  await deletePostgresTables(connection, world)
  for (const table of ['refusals', 'snapshots', 'segments', 'events', 'journals'])
    await connection.query(`DELETE FROM quipu_${table} WHERE world = $1`, [world])
}
