import { JournalDamaged, type JournalPosition } from '../journal/journal.ts'
import { whileHeld } from '../journal/postgres/lease.ts'
import { readEvents } from '../journal/postgres/reader.ts'
import {
  addressOf,
  asUnreachable,
  openPool,
  type PostgresConnection,
  withConnection,
} from '../postgres/connection.ts'
import { defaultQueryTablesLimits } from '../query-tables/messages.ts'
import { writePostgresSnapshot } from '../query-tables/postgres/snapshot.ts'
import { deletePostgresTables, PostgresTables } from '../query-tables/postgres/tables.ts'
import { fillTables } from '../query-tables/rebuild.ts'
import { MAIN } from '../registry/worlds.ts'
import { auditEvents } from '../world/audit/audit.ts'
import { type CheckProgress, checkWithProgress } from './check-journal.ts'
import { StoreInUse } from './failures.ts'
import { journalHead, snapshotWorld, type TableWorld, worldsOf } from './postgres-snapshot.ts'
import type { Only } from './worlds.ts'

export type PostgresRebuildParts = Only & { readonly progress?: CheckProgress | undefined }

/**
 * Drops and rebuilds the query tables and snapshots of all worlds, or of one, of a database that no server uses. Returns the
 * end of that world, or of `main`.
 */
export async function rebuildPostgres(
  url: string,
  { only, progress = () => {} }: PostgresRebuildParts = {},
): Promise<JournalPosition> {
  const rebuild = async (connection: PostgresConnection): Promise<JournalPosition> => {
    const main = await journalHead(connection, url)
    const one = only === undefined || only === MAIN ? undefined : await snapshotWorld(connection, url, only)
    const durable = (await worldsOf(connection, only)).map(({ name }) => name)
    await assertNotInUse(connection, url)
    for (const world of one ? durable : [MAIN, ...durable])
      await rebuildWorld({ connection, url, world, progress })
    return one ? one.head : { seq: main.seq, hash: main.hash }
  }
  return withConnection(url, rebuild).catch((error) => {
    throw asUnreachable(url, error)
  })
}

type Rebuilding = {
  readonly connection: PostgresConnection
  readonly url: string
  readonly world: TableWorld
  readonly progress: CheckProgress
}

/** The fencing number of the last holder. No server has the journal open. */
async function fenceOf(connection: PostgresConnection, world: TableWorld): Promise<number> {
  const { rows } = await connection.query('SELECT fence FROM quipu_journals WHERE world = $1', [world])
  return Number(rows[0]?.fence ?? 0)
}

async function rebuildWorld(rebuilding: Rebuilding): Promise<void> {
  const { connection, url, world } = rebuilding
  const { loss, marketModel: _, ...head } = await journalHead(connection, url, world)
  if (loss) throw loss
  await assertSound(rebuilding, head)
  const fence = await fenceOf(connection, world)
  await whileHeld(connection, { journal: world, fence }, async () => {
    await connection.query('DELETE FROM quipu_snapshots WHERE world = $1', [world])
    await deletePostgresTables(connection, world)
  })
  await makeQueryTables(rebuilding, head, fence)
}

/** A running server would take over its tables during the rebuild. */
async function assertNotInUse(connection: PostgresConnection, url: string): Promise<void> {
  const { rows } = await connection.query(
    `SELECT client_addr FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'quipu' AND pid <> pg_backend_pid()`,
  )
  if (rows.length > 0)
    throw new StoreInUse(`${addressOf(url)} is in use by a server; stop it with \`quipu stop\``)
}

/** The query tables may be the only copy of a damaged part of the journal. */
async function assertSound(
  { connection, world, progress }: Rebuilding,
  head: JournalPosition,
): Promise<void> {
  const events = checkWithProgress(readEvents(connection, world, 0, head.seq), progress)
  const { sound, problems } = await auditEvents(events, head)
  if (sound) return
  const reason = problems.slice(0, 3).join('; ')
  throw new JournalDamaged({ from: 1, file: `table quipu_events of ${world}`, reason })
}

async function makeQueryTables(
  { connection, url, world, progress }: Rebuilding,
  head: JournalPosition,
  fence: number,
): Promise<void> {
  const reader = {
    read: (after: number, to: number) => readEvents(connection, world, after, to),
    close: async () => {},
  }
  const pool = openPool(url)
  const tables = await PostgresTables.open(pool, world, fence)
  const state = await fillTables(tables, reader, head, progress)
  await pool.end()
  const { snapshotsKept: keep } = defaultQueryTablesLimits
  await writePostgresSnapshot(connection, world, state, { hash: head.hash, keep, fence })
}
