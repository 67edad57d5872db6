import { setImmediate as nextTurn } from 'node:timers/promises'
import type { State, WorldId } from '@quipu/core'
import { Fenced, type Journal } from '../../journal/journal.ts'
import { isLatest } from '../../journal/postgres/lease.ts'
import { asked, type PostgresConnection, type Queries } from '../../postgres/connection.ts'
import { transaction } from '../../postgres/statements.ts'
import { isOfJournal, SnapshotReader, snapshotLines } from '../snapshot/snapshot.ts'
import type { StatePart } from '../snapshot/state-lines.ts'

// Snapshots in a table, with the same lines as in files. The name of a snapshot is the number of its last event.

/** Lines per query: a few megabytes. */
const BATCH_LINES = 20

/** Writes a snapshot of a state and returns its name. A process that has lost the journal writes none. */
export async function writePostgresSnapshot(
  connection: PostgresConnection,
  world: WorldId,
  state: State,
  { hash, keep, fence }: { readonly hash: string; readonly keep: number; readonly fence: number },
): Promise<string> {
  await transaction(connection, async () => {
    await connection.query('DELETE FROM quipu_snapshots WHERE world = $1 AND seq = $2', [world, state.seq])
    let number = 0
    for (const line of snapshotLines(state, hash))
      await connection.query({
        name: 'snapshot',
        text: 'INSERT INTO quipu_snapshots (world, seq, line, body) VALUES ($1, $2, $3, $4)',
        values: [world, state.seq, number++, line],
      })
    await prune(connection, world, state.seq, keep)
    // The row of the journal is not locked: a large snapshot takes seconds, and appends must not wait.
    if (!(await isLatest(connection, world, fence))) throw new Fenced(world, 'another')
  })
  return String(state.seq)
}

/** Keeps snapshots with a later number than the one just written, because they prove that the journal lost events. */
async function prune(
  connection: PostgresConnection,
  world: WorldId,
  written: number,
  keep: number,
): Promise<void> {
  await connection.query(
    `DELETE FROM quipu_snapshots WHERE world = $1 AND seq <= $2 AND seq NOT IN (
      SELECT DISTINCT seq FROM quipu_snapshots WHERE world = $1 AND seq <= $2 ORDER BY seq DESC LIMIT $3)`,
    [world, written, keep],
  )
}

/** The names of snapshots of this journal up to a number, newest first. */
export async function* postgresSnapshots(
  queries: Queries,
  world: WorldId,
  journal: Journal,
  upTo: number,
): AsyncGenerator<string, undefined> {
  const { rows } = await queries.query({
    text: `SELECT seq, body FROM quipu_snapshots WHERE world = $1 AND line = 0 AND seq <= $2 ORDER BY seq DESC`,
    values: [world, upTo],
  })
  for (const { seq, body } of rows) if (await isOfJournal(body, Number(seq), journal)) yield seq
}

/** The state in a snapshot, if the snapshot exists, is complete and in the current format. */
export async function readPostgresSnapshot(
  queries: Queries,
  world: WorldId,
  name: string,
  part?: StatePart,
): Promise<State | undefined> {
  const reader = new SnapshotReader(part)
  const ask = (line: number) =>
    asked(queries, {
      name: 'snapshot lines',
      text: `SELECT body FROM quipu_snapshots
        WHERE world = $1 AND seq = $2 AND line >= $3 AND line < $4 ORDER BY line`,
      values: [world, name, line, line + BATCH_LINES],
    })
  let next = ask(0)
  for (let line = BATCH_LINES; ; line += BATCH_LINES) {
    const { rows } = await next
    // The database reads the next lines while these are decoded.
    if (rows.length === BATCH_LINES) next = ask(line)
    for (const { body } of rows) {
      reader.take(Buffer.from(body))
      // A line has up to 2,000 orders. The requests of other worlds do not wait for more than one.
      await nextTurn()
    }
    if (rows.length < BATCH_LINES) return reader.state()
  }
}

/** The state of the newest usable snapshot up to a number. */
export async function loadPostgresSnapshot(
  queries: Queries,
  world: WorldId,
  journal: Journal,
  upTo = journal.head().seq,
): Promise<State | undefined> {
  for await (const name of postgresSnapshots(queries, world, journal, upTo)) {
    const state = await readPostgresSnapshot(queries, world, name)
    if (state) return state
  }
  return undefined
}
