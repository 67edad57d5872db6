import type { AccessStore, Erasure, Uses } from '../../access/access-store.ts'
import { LEASE_MS } from '../../journal/lease.ts'
import type { Queries } from '../../postgres/connection.ts'

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

/** A world does not wait longer than its lease for a database that is silent or was replaced by its standby. */
const WRITE_TIMEOUT_MS = LEASE_MS

/** Addresses and key uses in PostgreSQL. A fenced engine may still add rows, which is harmless. */
export function postgresAccess(queries: () => Queries, world: string): AccessStore {
  const query = (text: string, ...values: unknown[]) => queries().query({ text, values: [world, ...values] })
  const write = (text: string, ...values: unknown[]) => {
    const statement = { text, values: [world, ...values], query_timeout: WRITE_TIMEOUT_MS }
    return queries().query(statement)
  }
  return {
    async addAddresses(rows) {
      await write(
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
      await write(storeUses, [...changed.keys()], [...changed.values()])
    },
    close: async () => undefined,
  }
}
