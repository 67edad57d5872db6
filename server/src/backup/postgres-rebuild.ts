import { JournalDamaged, type Position } from '../journal/journal.ts'
import { readEvents } from '../journal/postgres-reader.ts'
import { addressOf, asUnreachable, type Connection, connect, withConnection } from '../postgres/connection.ts'
import { writePostgresSnapshot } from '../views/postgres/snapshot.ts'
import { dropPostgresTables, PostgresTables } from '../views/postgres/tables.ts'
import { fillTables } from '../views/rebuild.ts'
import { defaultViewsLimits } from '../views/threaded.ts'
import { auditEvents } from '../world/audit.ts'
import { MAIN } from '../worlds/worlds.ts'
import { type Progress, withProgress } from './check-journal.ts'
import { StoreInUse } from './failures.ts'
import { headOf } from './postgres-snapshot.ts'

/** Drops and rebuilds the views and snapshots of a database that no server uses. */
export async function rebuildPostgres(url: string, progress: Progress = () => {}): Promise<Position> {
  const rebuild = async (connection: Connection): Promise<Position> => {
    const { loss, marketModel: _, ...head } = await headOf(connection, url)
    if (loss) throw loss
    await assertNotInUse(connection, url)
    await assertSound(connection, head, progress)
    await connection.query('DELETE FROM quipu_snapshots WHERE world = $1', [MAIN])
    await dropPostgresTables(connection, MAIN)
    await makeViews(connection, url, head, progress)
    return head
  }
  return withConnection(url, rebuild).catch((error) => {
    throw asUnreachable(url, error)
  })
}

/** A running server would take over its tables during the rebuild. */
async function assertNotInUse(connection: Connection, url: string): Promise<void> {
  const { rows } = await connection.query(
    `SELECT client_addr FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'quipu' AND pid <> pg_backend_pid()`,
  )
  if (rows.length > 0)
    throw new StoreInUse(`${addressOf(url)} is in use by a server; stop it with \`quipu stop\``)
}

/** The views may be the only copy of a damaged part of the journal. */
async function assertSound(connection: Connection, head: Position, progress: Progress): Promise<void> {
  const events = withProgress(readEvents(connection, MAIN, 0, head.seq), progress)
  const { sound, problems } = await auditEvents(events, head)
  if (sound) return
  const reason = problems.slice(0, 3).join('; ')
  throw new JournalDamaged({ from: 1, file: 'table quipu_events', reason })
}

async function makeViews(
  connection: Connection,
  url: string,
  head: Position,
  progress: Progress,
): Promise<void> {
  const reader = {
    read: (after: number, to: number) => readEvents(connection, MAIN, after, to),
    close: async () => {},
  }
  const tables = await PostgresTables.open(await connect(url, { withoutTimeout: true }), MAIN)
  const state = await fillTables(tables, reader, head, progress)
  const { snapshotsKept: keep } = defaultViewsLimits
  await writePostgresSnapshot(connection, MAIN, state, { hash: head.hash, keep })
}
