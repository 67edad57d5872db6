import type { WorldId } from '@quipu/core'
import { LEASE_MS } from '../journal/postgres-lease.ts'
import type { Queries } from '../postgres/connection.ts'
import { parseRecord, type WorldRecord } from '../worlds/durable.ts'
import { MAIN } from '../worlds/open-main.ts'

/** A stored world, and the node that holds it. */
export type WorldRow = {
  readonly world: WorldId
  /** Absent for `main`. */
  readonly record?: WorldRecord | undefined
  /** The node that holds it; absent if nobody does. */
  readonly holder?: { readonly name: string; readonly address: string } | undefined
}

/** A node that runs. */
export type NodeRow = {
  readonly name: string
  readonly address: string
  readonly version: string
  /** It claims no more worlds. */
  readonly draining: boolean
}

export type Table = { readonly worlds: readonly WorldRow[]; readonly nodes: readonly NodeRow[] }

const selectWorlds = `
  SELECT stored.world, stored.record, journal.holder, journal.address,
    coalesce(journal.expires_at > clock_timestamp(), false) AS held
  FROM (
    SELECT '${MAIN}' AS world, NULL AS record, '${MAIN}' AS journal
    UNION ALL SELECT world, record, record::json ->> 'journal' FROM quipu_worlds WHERE record IS NOT NULL
  ) AS stored LEFT JOIN quipu_journals AS journal ON journal.world = stored.journal
  ORDER BY stored.record IS NOT NULL, stored.world`

const selectNodes = `
  SELECT name, address, version, draining FROM quipu_nodes WHERE expires_at > clock_timestamp() ORDER BY name`

/** All stored worlds and running nodes. */
export async function readTable(queries: Queries): Promise<Table> {
  const [worlds, nodes] = [
    await queries.query({ name: 'worlds', text: selectWorlds }),
    await queries.query({ name: 'nodes', text: selectNodes }),
  ]
  return { worlds: worlds.rows.map(worldRow), nodes: nodes.rows }
}

type StoredRow = {
  readonly world: WorldId
  readonly record: string | null
  readonly holder: string | null
  readonly address: string | null
  readonly held: boolean
}

const worldRow = ({ world, record, holder, address, held }: StoredRow): WorldRow => ({
  world,
  record: record === null ? undefined : parseRecord(record),
  holder: held && holder !== null ? { name: holder, address: address ?? '' } : undefined,
})

const storeNode = `
  INSERT INTO quipu_nodes (name, address, version, draining, expires_at)
  VALUES ($1, $2, $3, $4, clock_timestamp() + interval '${LEASE_MS} milliseconds')
  ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at
  RETURNING draining`

/** Records that this node runs. Returns whether it must claim no more worlds. */
export async function renewNode(queries: Queries, node: NodeRow): Promise<boolean> {
  const { name, address, version, draining } = node
  const { rows } = await queries.query({ text: storeNode, values: [name, address, version, draining] })
  return rows[0].draining
}

export async function deleteNode(queries: Queries, name: string): Promise<void> {
  await queries.query({ text: 'DELETE FROM quipu_nodes WHERE name = $1', values: [name] })
}
