import type { WorldId } from '@quipu/core'
import { Fenced } from '../journal/journal.ts'
import { readEvents } from '../journal/postgres-reader.ts'
import { transaction, withConnection, withPooled, write } from '../postgres/connection.ts'
import { migrate } from '../postgres/migrations.ts'
import { dropPostgresTables } from '../views/postgres/tables.ts'
import {
  type DurableStorage,
  isJournalName,
  parseRecord,
  randomJournalName,
  recordText,
  type StoredWorld,
} from '../worlds/durable.ts'
import { MAIN } from '../worlds/open-main.ts'
import type { MainStore } from '../worlds/worlds.ts'
import type { StoreReport } from './main-store.ts'
import type { PostgresServer } from './postgres-server.ts'
import { postgresStore } from './postgres-store.ts'

/** Durable worlds in PostgreSQL: a record for each, and rows in the tables of all worlds. */
export function durablePostgres(server: PostgresServer, report: Pick<StoreReport, 'warn'>): DurableStorage {
  // The same store opens a world again after a failure: it gets it unless another process took it.
  const stores = new Map<string, MainStore>()
  const storeOf = (name: string): MainStore => {
    let store = stores.get(name)
    if (!store) stores.set(name, (store = postgresStore(server, report, name as WorldId)))
    return store
  }
  const query: Query = async (text, values = []) =>
    (await (await server.select()).pool.query({ text, values: [...values] })).rows
  const deleteRows = async (name: string) => deleteRowsOf((await server.select()).url, name)
  return {
    async list() {
      await migrate((await server.select()).url)
      await query('DELETE FROM quipu_worlds WHERE record IS NULL')
      const rows = await query('SELECT record FROM quipu_worlds ORDER BY world')
      const records = rows.map(({ record }) => parseRecord(record))
      const used = new Set(records.map(({ journal }) => journal))
      for (const { world } of await query('SELECT world FROM quipu_journals'))
        if (isJournalName(world) && !used.has(world)) await deleteRows(world)
      return records
    },
    isInMemory: false,
    store: storeOf,
    openJournal: (name) => storeOf(name).openJournal(),
    ...recordsOf(server, query, deleteRows),
    deleteJournal: deleteRows,
    async released(name) {
      const store = stores.get(name)
      stores.delete(name)
      await store?.released?.()
    },
    stored: (world) => storedWorld(query, server, world),
    // The tables hold all worlds; the size of `main` is that of the tables.
    size: async () => ({ kind: 'postgres' }),
  }
}

type Records = Pick<
  DurableStorage,
  'usedCodes' | 'reserveCode' | 'newJournalName' | 'storeRecord' | 'deleteRecord'
>

/** The records of worlds. A change resolves with the number of changed rows, once it is durable. */
function recordsOf(server: PostgresServer, query: Query, deleteRows: DeleteRows): Records {
  const change = async (text: string, ...values: readonly unknown[]): Promise<number | null> => {
    const { pool } = await server.select()
    return (await withPooled(pool, (connection) => write(connection, { text, values: [...values] }))).rowCount
  }
  return {
    usedCodes: () => usedCodes(query, deleteRows),
    reserveCode: (world, code) => reserveCode(query, world, code),
    newJournalName: randomJournalName,
    async storeRecord(record, earlier) {
      const { world, code } = record
      const stored = await change(
        storeRecord,
        world,
        code,
        recordText(record),
        earlier ?? null,
        server.holder,
      )
      if (stored !== 1) throw new Fenced(world, 'another')
    },
    deleteRecord: async (world) => void (await change('DELETE FROM quipu_worlds WHERE world = $1', world)),
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
type Query = (text: string, values?: readonly string[]) => Promise<readonly Row[]>

/** A process that has lost the world changes nothing, and none changes a world that another has created or reset. */
const storeRecord = `
  UPDATE quipu_worlds SET record = $3 WHERE world = $1 AND code = $2 AND CASE
    WHEN $4::text IS NULL THEN record IS NULL
    ELSE record::json ->> 'journal' = $4
      AND EXISTS (SELECT 1 FROM quipu_journals WHERE world = $4 AND holder = $5) END`

/** A reserved code without a record is left by a crash after this time: no creation takes so long. */
const INTERRUPTED = `record IS NULL AND reserved_at < now() - interval '10 minutes'`
/** The same of a journal that no record has and nobody holds, such as that of an interrupted reset. */
const selectAbandoned = `
  SELECT world FROM quipu_journals AS journal
  WHERE taken_at < now() - interval '10 minutes' AND coalesce(expires_at <= clock_timestamp(), true)
    AND NOT EXISTS (SELECT 1 FROM quipu_worlds WHERE record::json ->> 'journal' = journal.world)`

/** Deletes first what crashes have left. Nodes of a cluster do that here, because none of them lists all journals. */
async function usedCodes(query: Query, deleteRows: DeleteRows): Promise<ReadonlySet<string>> {
  for (const { world } of await query(selectAbandoned)) if (isJournalName(world)) await deleteRows(world)
  await query(`DELETE FROM quipu_worlds WHERE ${INTERRUPTED}`)
  return new Set((await query('SELECT code FROM quipu_worlds')).map(({ code }) => code))
}

/** The row of a new world has no record yet. Another process may add the same code or the same world first. */
async function reserveCode(query: Query, world: WorldId, code: string) {
  const reserved = await query(
    'INSERT INTO quipu_worlds (world, code) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING code',
    [world, code],
  )
  if (reserved.length > 0) return 'reserved'
  const sameName = await query('SELECT code FROM quipu_worlds WHERE world = $1', [world])
  return sameName.length > 0 ? 'worldNameTaken' : 'codeTaken'
}

/** The record and the journal of a world, whichever process holds it. */
async function storedWorld(
  query: Query,
  server: PostgresServer,
  world: WorldId,
): Promise<StoredWorld | undefined> {
  const [row] = await query('SELECT record FROM quipu_worlds WHERE world = $1 AND record IS NOT NULL', [
    world,
  ])
  if (!row && world !== MAIN) return undefined
  const record = row && parseRecord(row.record)
  const journal = record?.journal ?? MAIN
  const [head] = await query('SELECT seq FROM quipu_journals WHERE world = $1', [journal])
  const seq = Number(head?.seq ?? 0)
  const { pool } = await server.select()
  return { record, seq, read: (after) => readEvents(pool, journal, after, seq) }
}

/** Deletes the journal, the query tables and the snapshots of a world. */
const deleteRowsOf = (url: string, name: string): Promise<void> =>
  withConnection(url, async (connection) => {
    await dropPostgresTables(connection, name as WorldId)
    await transaction(connection, async () => {
      for (const table of ['snapshots', 'segments', 'events', 'journals'])
        await connection.query(`DELETE FROM quipu_${table} WHERE world = $1`, [name])
    })
  })
