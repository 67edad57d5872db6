import type { WorldId } from '@quipu/core'
import { transaction, withConnection } from '../postgres/connection.ts'
import { migrate } from '../postgres/migrations.ts'
import { dropPostgresTables } from '../views/postgres/tables.ts'
import { type DurableStorage, isJournalName, parseRecord, recordText } from '../worlds/durable.ts'
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
  const query = async (text: string, values: readonly unknown[] = []) =>
    (await (await server.select()).pool.query({ text, values: [...values] })).rows
  const deleteRows = async (name: string) => deleteRowsOf((await server.select()).url, name)
  return {
    async list() {
      await migrate((await server.select()).url)
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
    async storeRecord(record) {
      await query(
        `INSERT INTO quipu_worlds (world, record) VALUES ($1, $2)
         ON CONFLICT (world) DO UPDATE SET record = excluded.record`,
        [record.world, recordText(record)],
      )
    },
    async deleteRecord(world) {
      await query('DELETE FROM quipu_worlds WHERE world = $1', [world])
    },
    async deleteJournal(name) {
      stores.delete(name)
      await deleteRows(name)
    },
    // The tables hold all worlds; the size of `main` is that of the tables.
    size: async () => ({ kind: 'postgres' }),
  }
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
