import { MARKET_MODEL } from '@quipu/core'
import { openPostgresJournal } from '../journal/postgres.ts'
import { newHolder } from '../journal/postgres-lease.ts'
import { openPool, type Pool, primaryOf, transaction, withConnection } from '../postgres/connection.ts'
import { migrate } from '../postgres/migrations.ts'
import { type DurableStorage, isJournalName, parseRecord, recordText } from '../worlds/durable.ts'

/** Durable worlds in PostgreSQL: a record for each, and a journal in the tables of all journals. */
export function durablePostgres(url: string): DurableStorage {
  const holders = new Map<string, ReturnType<typeof newHolder>>()
  const primary = primaryPool(url)
  const query = async (text: string, values: readonly unknown[] = []) =>
    (await (await primary()).pool.query({ text, values: [...values] })).rows
  return {
    async list() {
      await migrate(await primaryOf(url))
      const rows = await query('SELECT record FROM quipu_worlds ORDER BY world')
      const records = rows.map(({ record }) => parseRecord(record))
      const used = new Set(records.map(({ journal }) => journal))
      for (const { world } of await query('SELECT world FROM quipu_journals'))
        if (isJournalName(world) && !used.has(world)) await deleteRows(await primaryOf(url), world)
      return records
    },
    async openJournal(name, lost) {
      // The same holder gets the world again after a failure, unless another process took it.
      let holder = holders.get(name)
      if (!holder) holders.set(name, (holder = newHolder()))
      return openPostgresJournal({
        ...(await primary()),
        world: name,
        marketModel: MARKET_MODEL,
        holder,
        onLost: lost,
      })
    },
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
      holders.delete(name)
      await deleteRows(await primaryOf(url), name)
    },
    // The tables of journals hold all worlds; the size of `main` is that of the tables.
    size: async () => ({ kind: 'postgres' }),
  }
}

/** The primary, and the connections that all durable worlds share. After a failover, another host is the primary. */
function primaryPool(url: string): () => Promise<{ readonly url: string; readonly pool: Pool }> {
  let opened: { readonly url: string; readonly pool: Pool } | undefined
  return async () => {
    const primary = await primaryOf(url)
    if (opened?.url !== primary) opened = { url: primary, pool: openPool(primary) }
    return opened
  }
}

/** Deletes the rows of a journal. */
const deleteRows = (url: string, name: string): Promise<void> =>
  withConnection(url, (connection) =>
    transaction(connection, async () => {
      for (const table of ['journals', 'events', 'segments'])
        await connection.query(`DELETE FROM quipu_${table} WHERE world = $1`, [name])
    }),
  )
