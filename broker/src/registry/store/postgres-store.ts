import type { WorldId } from '@quipu/core'
import { MARKET_MODEL } from '@quipu/core/values'
import { Fenced, type Journal, JournalDeleted, JournalLost } from '../../journal/journal.ts'
import { LEASE_MS, LEASE_STATEMENT } from '../../journal/lease.ts'
import { openPostgresJournal } from '../../journal/postgres/journal.ts'
import { type Pool, type Queries, withConnection } from '../../postgres/connection.ts'
import { transaction } from '../../postgres/statements.ts'
import { type PreparedState, prepareState } from '../../query-tables/postgres/prepared-state.ts'
import { loadPostgresSnapshot } from '../../query-tables/postgres/snapshot.ts'
import {
  parseRefusal,
  RefusalQueue,
  type RefusalStore,
  type RefusedCommand,
  refusalText,
} from '../../world/requests/refused-orders.ts'
import type { StoreSize } from '../store-size.ts'
import { MAIN, type MainStore } from '../worlds.ts'
import type { MainStoreReport } from './main-store.ts'
import { postgresAccess } from './postgres-access.ts'
import { lossInPostgres, renameProof } from './postgres-loss.ts'
import type { PostgresServer, Primary } from './postgres-server.ts'
import { WorldLease } from './world-lease.ts'

/**
 * Journal, query tables and snapshots in PostgreSQL. The first opening takes the world over from its current holder. Later
 * openings, after a failure, succeed only if no other process has taken it.
 */
export function postgresStore(
  server: PostgresServer,
  report: Omit<MainStoreReport, 'recovered'>,
  world = MAIN,
  lease = new WorldLease(server, world),
): MainStore {
  const { warn } = report
  // The primary when the journal was opened. Each opening selects again; one after the first follows a failure.
  let primary = server.current
  let opened: Primary | undefined
  let prepared: PreparedState | undefined
  let lost: (error: unknown) => void = () => {}
  let accept = report.acceptJournalLoss
  const { isStored } = lease
  const onTaken = async (): Promise<void> => {
    if (isStored) await checkStored(primary.pool, world)
    await checkLoss({ ...primary, world, accept, warn })
    accept = false
  }
  return {
    async openJournal() {
      opened = primary = await server.select(opened)
      const place = { ...primary, world, marketModel: MARKET_MODEL, known: prepared?.known }
      // A node has migrated the tables at its start.
      const isNode = server.address !== undefined
      const asNode = { onlyFree: isNode, isMigrated: isNode, isStored }
      const calls = { onLost: (error: unknown) => lost(error), onTaken }
      const parts = { ...place, ...asNode, ...calls }
      const journal = await lease.open((holder) => openPostgresJournal({ ...parts, holder }))
      return closedOnFailure(journal, server.warnOnce(warn))
    },
    openQueryTables(journal, onFailure) {
      // If the journal is lost while nothing is stored, the incarnation ends as if the query tables had failed.
      lost = onFailure
      const withoutSnapshot = () => lease.isHandedOver
      const calls = { openThread: server.threads.open, withoutSnapshot, log: warn, onFailure }
      const parts = { ...primary, world, fence: lease.fence, journal, ...calls }
      return server.queryTables.open(parts).catch(async (error) => {
        throw await withoutFalseLoss(primary.pool, world, error)
      })
    },
    prepare: async () => (prepared = await prepareState((await server.select()).pool, world)),
    snapshot: async (journal, upTo) =>
      (await prepared?.take(journal, upTo)) ?? loadPostgresSnapshot(primary.pool, world, journal, upTo),
    access: postgresAccess(() => server.current.pool, world),
    refusals: (max) => postgresRefusals(() => server.current.pool, world, max),
    size: () => sizeOfTables(primary.pool),
    handOver: (to) => lease.handOver(to),
    released: () => lease.release(primary.pool),
  }
}

async function closedOnFailure(journal: Journal, checked: Promise<void>): Promise<Journal> {
  try {
    await checked
    return journal
  } catch (error) {
    await journal.close()
    throw error
  }
}

const tables = {
  journalBytes: ['journals', 'events', 'segments'],
  queryTablesBytes: ['query_tables', 'orders', 'requests', 'history', 'updates'],
  snapshotsBytes: ['snapshots'],
} as const

/** The tables hold all worlds, so these are sums over all of them. */
async function sizeOfTables(pool: Pool): Promise<StoreSize> {
  const sums = Object.entries(tables).map(
    ([name, parts]) =>
      `${parts.map((part) => `pg_total_relation_size('quipu_${part}')`).join(' + ')} AS "${name}"`,
  )
  const { rows } = await pool.query(`SELECT ${sums.join(', ')}`)
  const { journalBytes, queryTablesBytes, snapshotsBytes } = rows[0] as Record<keyof typeof tables, string>
  return {
    kind: 'postgres',
    journalBytes: Number(journalBytes),
    queryTablesBytes: Number(queryTablesBytes),
    snapshotsBytes: Number(snapshotsBytes),
  }
}

const ofStoredWorld = `SELECT 1 FROM quipu_worlds WHERE record::json ->> 'journal' = $1`

/**
 * Fails if no stored world has the journal. The takeover may have waited for the lock of a process that has deleted or
 * reset the world. From the takeover on, no other process can do that.
 */
async function checkStored(pool: Pool, journal: string): Promise<void> {
  const { rowCount } = await pool.query({ text: ofStoredWorld, values: [journal], ...LEASE_STATEMENT })
  if (rowCount === 0) throw new JournalDeleted(journal)
}

type LossCheck = {
  readonly pool: Pool
  readonly url: string
  readonly world: WorldId
  readonly accept: boolean | undefined
  readonly warn: (message: string) => void
}

/** Fails if the journal lost its end, unless the operator accepts the loss. */
async function checkLoss({ pool, url, world, accept, warn }: LossCheck): Promise<void> {
  const loss = await lossInPostgres(pool, world)
  if (!loss) return
  if (!accept) throw loss
  const newName = await withConnection(url, (connection) =>
    transaction(connection, () => renameProof(connection, world, loss)),
  )
  warn(`${loss.message}; the proof is kept in the rows of world ${newName}`)
}

/** If a newer engine took the world over meanwhile and continued, the journal is not lost. */
const withoutFalseLoss = async (pool: Pool, world: WorldId, error: unknown): Promise<unknown> =>
  error instanceof JournalLost && !(await lossInPostgres(pool, world)) ? new Fenced(world, 'another') : error

const addRows = `INSERT INTO quipu_refusals (world, request, record)
  SELECT $1, * FROM unnest($2::text[], $3::text[]) ON CONFLICT DO NOTHING`
const oneRow = 'SELECT record FROM quipu_refusals WHERE world = $1 AND request = $2'
const deleteOld = `DELETE FROM quipu_refusals WHERE world = $1 AND number <= (
  SELECT number FROM quipu_refusals WHERE world = $1 ORDER BY number DESC OFFSET $2 LIMIT 1)`

/**
 * The latest refused orders of a journal in PostgreSQL, so that every node can explain them. At most twice `max` rows: old
 * ones are deleted after as many new ones. A process that has lost the journal may still add rows, which is harmless.
 */
function postgresRefusals(queries: () => Queries, journal: string, max: number): RefusalStore {
  const query = (text: string, ...values: unknown[]) => {
    const statement = { text, values: [journal, ...values], query_timeout: LEASE_MS }
    return queries().query(statement)
  }
  let added = 0
  const queue = new RefusalQueue<RefusedCommand>(max, async (rows) => {
    await query(
      addRows,
      rows.map(({ cause }) => cause),
      rows.map((refused) => refusalText(refused)),
    )
    added += rows.length
    if (added < max) return
    added = 0
    await query(deleteOld, max)
  })
  return {
    add(_, refused) {
      if (max > 0) queue.push(refused)
    },
    async find(_, requestId) {
      const [row] = (await query(oneRow, requestId)).rows
      return row && parseRefusal<RefusedCommand>(row.record)
    },
    written: () => queue.written(),
  }
}
