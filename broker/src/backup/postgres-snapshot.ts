import type { Entry, JournalLost, JournalPosition } from '../journal/journal.ts'
import { readEvents } from '../journal/postgres/reader.ts'
import { addressOf, asUnreachable, type PostgresConnection, withConnection } from '../postgres/connection.ts'
import { formatOf } from '../postgres/migrations.ts'
import { type DurableRecord, parseRecord } from '../registry/durable-storage.ts'
import { lossInPostgres } from '../registry/store/postgres-loss.ts'
import { MAIN } from '../registry/worlds.ts'
import { NoJournal } from './failures.ts'

/** A consistent snapshot of `main`'s journal in PostgreSQL. */
export type JournalSnapshot = {
  readonly connection: PostgresConnection
  readonly head: JournalPosition
  readonly marketModel: number
  /** Set if the journal lost events at its end. */
  readonly loss: JournalLost | undefined
  read(after: number, to: number): AsyncGenerator<readonly Entry[]>
  /** The durable worlds besides `main`, or only one. */
  worlds(only?: string): Promise<readonly SnapshotWorld[]>
  /** One durable world besides `main`. Fails if there is none of this name. */
  world(name: string): Promise<SnapshotWorld>
}

/** A world's name in the tables. That of a durable world is the name of its journal. */
export type TableWorld = typeof MAIN

export type SnapshotWorld = Pick<JournalSnapshot, 'head' | 'read'> & {
  readonly name: TableWorld
  readonly record: DurableRecord
}

/** Reads a consistent snapshot of a database without blocking a running server. */
export async function withJournalSnapshot<Value>(
  url: string,
  use: (journal: JournalSnapshot) => Promise<Value>,
): Promise<Value> {
  const readSnapshot = async (connection: PostgresConnection): Promise<Value> => {
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const { loss, marketModel, ...head } = await journalHead(connection, url)
    return use({
      connection,
      head,
      marketModel,
      loss,
      read: (after, to) => readEvents(connection, MAIN, after, to),
      worlds: (only) => worldsOf(connection, only),
      world: (name) => snapshotWorld(connection, url, name),
    })
  }
  return withConnection(url, readSnapshot).catch((error) => {
    throw asUnreachable(url, error)
  })
}

export async function snapshotWorld(
  connection: PostgresConnection,
  url: string,
  name: string,
): Promise<SnapshotWorld> {
  const [found] = await worldsOf(connection, name)
  if (!found) throw new NoJournal(`${addressOf(url)} has no durable world ${name}`)
  return found
}

export async function worldsOf(
  connection: PostgresConnection,
  only?: string,
): Promise<readonly SnapshotWorld[]> {
  const { rows } = await connection.query(
    'SELECT record FROM quipu_worlds WHERE record IS NOT NULL AND ($1::text IS NULL OR world = $1) ORDER BY world',
    [only ?? null],
  )
  const worlds: SnapshotWorld[] = []
  for (const row of rows) {
    const record = parseRecord(row.record)
    const found = await connection.query('SELECT seq, hash FROM quipu_journals WHERE world = $1', [
      record.journal,
    ])
    const [{ seq, hash } = { seq: 0, hash: '' }] = found.rows
    worlds.push({
      name: record.journal as TableWorld,
      record,
      head: { seq: Number(seq), hash },
      read: (after, to) => readEvents(connection, record.journal, after, to),
    })
  }
  return worlds
}

/** The last stored event, and the proof that later events were lost, if any. */
export async function journalHead(
  connection: PostgresConnection,
  url: string,
  world: string = MAIN,
): Promise<JournalPosition & Pick<JournalSnapshot, 'loss' | 'marketModel'>> {
  const format = await formatOf(connection, addressOf(url))
  const { rows } = format
    ? await connection.query(`SELECT seq, hash, market FROM quipu_journals WHERE world = $1`, [world])
    : { rows: [] }
  const loss = format > 0 ? await lossInPostgres(connection, world) : undefined
  if (rows.length === 0)
    throw loss ?? new NoJournal(`${addressOf(url)} has no journal of ${world}; check QUIPU_STORE`)
  const [{ seq, hash, market }] = rows
  return { seq: Number(seq), hash, marketModel: market, loss }
}
