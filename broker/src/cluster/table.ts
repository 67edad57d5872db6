import type { WorldId } from '@quipu/core'
import type { Successor } from '../journal/journal.ts'
import { LEASE_MS, LEASE_STATEMENT } from '../journal/lease.ts'
import type { Queries } from '../postgres/connection.ts'
import { type DurableRecord, parseRecord } from '../registry/durable-storage.ts'
import { MAIN } from '../registry/opening/open-main.ts'

/** A stored world, and the node that holds it. */
export type WorldRow = {
  readonly world: WorldId
  /** Absent for `main`. */
  readonly record?: DurableRecord | undefined
  /** The node that holds it; absent if nobody does. */
  readonly holder?: Successor | undefined
  /** The end of its lease in milliseconds, by the clock of the database; absent after a release. */
  readonly leaseMs?: number | undefined
  /** The lease ends so late that it is of another clock. */
  readonly isLate: boolean
  /** When the last holder took it. Absent if it was never opened. */
  readonly takenAt?: Date | undefined
  /** The number of its last event. */
  readonly seq: number
  /** The fencing number of its last holder; 0 if it was never opened. */
  readonly fence: number
}

/** A node that runs. */
export type NodeRow = Successor & {
  readonly version: string
  readonly startedAt: Date
  /** It claims no more worlds, and moves those that it holds to other nodes. */
  readonly draining: boolean
  readonly failures: Failures
}

/** Why a node could not open a world that nobody holds, or does not have a world open whose lease it has. */
export type Failures = Readonly<Record<WorldId, string>>

export type ClusterTable = { readonly worlds: readonly WorldRow[]; readonly nodes: readonly NodeRow[] }

/**
 * Why the node that has the lease of a world does not have it open, as a predicate of the node. Undefined if it has the
 * world open, or if no node has the lease.
 */
export function whyNotOpen(
  nodes: readonly NodeRow[],
  { world, holder }: Pick<WorldRow, 'world' | 'holder'>,
): string | undefined {
  if (!holder) return undefined
  const node = nodes.find(({ name }) => name === holder.name)
  return node ? node.failures[world] : 'has the lease, but does not run'
}

/** No lease ends later. A clock that steps back, or that of a promoted standby, makes one end later. */
const LATEST = "clock_timestamp() + interval '1 minute'"

const selectWorlds = `
  SELECT stored.world, stored.record, journal.holder, journal.address, journal.taken_at, journal.seq, journal.fence,
    coalesce(journal.expires_at > clock_timestamp(), false) AS held, journal.expires_at AS lease,
    coalesce(journal.expires_at > ${LATEST}, false) AS late
  FROM (
    SELECT '${MAIN}' AS world, NULL AS record, '${MAIN}' AS journal
    UNION ALL SELECT world, record, record::json ->> 'journal' FROM quipu_worlds WHERE record IS NOT NULL
  ) AS stored LEFT JOIN quipu_journals AS journal ON journal.world = stored.journal
  ORDER BY stored.record IS NOT NULL, stored.world`

const selectNodes = `
  SELECT name, address, version, draining, failures, started_at AS "startedAt"
  FROM quipu_nodes WHERE expires_at > clock_timestamp() AND expires_at <= ${LATEST} ORDER BY name`

/** All stored worlds and running nodes. */
export async function readTable(queries: Queries): Promise<ClusterTable> {
  const [worlds, nodes] = [
    await queries.query({ name: 'worlds', text: selectWorlds, ...LEASE_STATEMENT }),
    await queries.query({ name: 'nodes', text: selectNodes, ...LEASE_STATEMENT }),
  ]
  return { worlds: worlds.rows.map(worldRow), nodes: nodes.rows }
}

type StoredRow = {
  readonly world: WorldId
  readonly record: string | null
  readonly holder: string | null
  readonly address: string | null
  readonly taken_at: Date | null
  /** The driver returns 64-bit numbers as text. */
  readonly seq: string | null
  readonly fence: string | null
  readonly held: boolean
  readonly lease: Date | null
  readonly late: boolean
}

const worldRow = ({ world, record, holder, address, taken_at, seq, held, ...rest }: StoredRow): WorldRow => ({
  world,
  record: record === null ? undefined : parseRecord(record),
  holder: held && holder !== null ? { name: holder, address: address ?? '' } : undefined,
  leaseMs: rest.lease?.getTime(),
  isLate: rest.late,
  takenAt: taken_at ?? undefined,
  seq: Number(seq ?? 0),
  fence: Number(rest.fence ?? 0),
})

const LEASE = `interval '${LEASE_MS} milliseconds'`

/** Lets leases of another clock end soon, unless their holders renew them. */
export async function shortenLeases(queries: Queries): Promise<void> {
  const text = `UPDATE quipu_journals SET expires_at = clock_timestamp() + ${LEASE} WHERE expires_at > ${LATEST}`
  await queries.query({ text, ...LEASE_STATEMENT })
}

const storeNode = `
  INSERT INTO quipu_nodes (name, address, version, failures, draining, expires_at)
  VALUES ($1, $2, $3, $4, false, clock_timestamp() + ${LEASE})
  ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at, failures = excluded.failures`

/** Records that this node runs. */
export async function renewNode(
  queries: Queries,
  { name, address, version, failures }: Omit<NodeRow, 'startedAt' | 'draining'>,
): Promise<void> {
  const values = [name, address, version, JSON.stringify(failures)]
  await queries.query({ text: storeNode, values, ...LEASE_STATEMENT })
}

export async function setDraining(queries: Queries, name: string, draining: boolean): Promise<void> {
  await queries.query({
    text: 'UPDATE quipu_nodes SET draining = $2 WHERE name = $1',
    values: [name, draining],
  })
}

export async function deleteNode(queries: Queries, name: string): Promise<void> {
  await queries.query({ text: 'DELETE FROM quipu_nodes WHERE name = $1', values: [name] })
}
