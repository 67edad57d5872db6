import { openPool, type Pool, type Queries } from '../postgres/connection.ts'
import { migrate } from '../postgres/migrations.ts'
import type { AccessStore, Erasure, Uses } from './access-store.ts'

const addRows = `INSERT INTO quipu_addresses (world, ref, address)
  SELECT $1, * FROM unnest($2::text[], $3::text[]) ON CONFLICT DO NOTHING`
const days = 'SELECT DISTINCT left(ref, 8) AS day FROM quipu_addresses WHERE world = $1 ORDER BY day'
const rowsOfDay = `SELECT ref, address FROM quipu_addresses
  WHERE world = $1 AND ref >= $2 AND ref < $3 ORDER BY ref`
const erase = `DELETE FROM quipu_addresses WHERE world = $1
  AND ($2::text IS NULL OR address = $2) AND ($3::text IS NULL OR ref < $3)`
const uses = 'SELECT key, used FROM quipu_key_uses WHERE world = $1'
const storeUses = `INSERT INTO quipu_key_uses AS known (world, key, used)
  SELECT $1, * FROM unnest($2::text[], $3::text[])
  ON CONFLICT (world, key) DO UPDATE SET used = excluded.used`

/** Addresses and key uses in PostgreSQL. A fenced engine may still add rows, which is harmless. */
export function openPostgresAccess(urlNow: () => string, world: string): AccessStore {
  let opened: { readonly url: string; readonly pool: Pool } | undefined
  const close = async () => opened?.pool.end()
  // With several hosts, another one may be the primary after a failover.
  const tables = async (): Promise<Queries> => {
    const url = urlNow()
    if (opened?.url === url) return opened.pool
    await close()
    await migrate(url)
    opened = { url, pool: openPool(url) }
    return opened.pool
  }
  return postgresAccess(tables, world, close)
}

/** The same on an open connection, such as one in a transaction. */
export function postgresAccess(
  tables: () => Promise<Queries>,
  world: string,
  close: () => Promise<void> = async () => undefined,
): AccessStore {
  const query = async (text: string, ...values: unknown[]) =>
    (await tables()).query({ text, values: [world, ...values] })
  return {
    async addAddresses(rows) {
      await query(
        addRows,
        rows.map(({ ref }) => ref),
        rows.map(({ address }) => address),
      )
    },
    days: async () => (await query(days)).rows.map(({ day }) => day),
    addressesOf: async (day) => (await query(rowsOfDay, day, `${day}~`)).rows,
    eraseAddresses: async ({ address, before }: Erasure) =>
      (await query(erase, address ?? null, before ?? null)).rowCount ?? 0,
    keyUses: async (): Promise<Uses> => new Map((await query(uses)).rows.map(({ key, used }) => [key, used])),
    async storeKeyUses(changed) {
      await query(storeUses, [...changed.keys()], [...changed.values()])
    },
    close,
  }
}
