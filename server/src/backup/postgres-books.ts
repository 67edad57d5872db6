import type { Entry, JournalLost, Position } from '../journal/journal.ts'
import { readEvents } from '../journal/postgres-reader.ts'
import { type Connection, placeOf, unusable, withConnection } from '../postgres/connection.ts'
import { formatOf } from '../postgres/migrations.ts'
import { MAIN } from '../worlds/worlds.ts'
import { NoBooks } from './failures.ts'
import { lossInPostgres } from './postgres-loss.ts'

/** The books of `main` in PostgreSQL as they were at one instant. */
export type Books = {
  readonly connection: Connection
  readonly head: Position
  readonly marketModel: number
  /** Proof that the journal lost its end. */
  readonly loss: JournalLost | undefined
  read(after: number, to: number): AsyncGenerator<readonly Entry[]>
}

/** Reads one instant of a database that a server may be writing, and hinders nobody. */
export async function withBooks<Value>(url: string, use: (books: Books) => Promise<Value>): Promise<Value> {
  const look = async (connection: Connection): Promise<Value> => {
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const { loss, marketModel, ...head } = await headOf(connection, url)
    return use({
      connection,
      head,
      marketModel,
      loss,
      read: (after, to) => readEvents(connection, MAIN, after, to),
    })
  }
  return withConnection(url, look).catch((error) => {
    throw unusable(url, error)
  })
}

/** The last event that is stored, and what proves that later ones were. */
export async function headOf(
  connection: Connection,
  url: string,
): Promise<Position & Pick<Books, 'loss' | 'marketModel'>> {
  const format = await formatOf(connection, placeOf(url))
  const { rows } = format
    ? await connection.query(`SELECT seq, hash, ${marketIn(format)} FROM quipu_journals WHERE world = $1`, [
        MAIN,
      ])
    : { rows: [] }
  const loss = format > 0 ? await lossInPostgres(connection, MAIN) : undefined
  if (rows.length === 0)
    throw loss ?? new NoBooks(`${placeOf(url)} has no books of ${MAIN}: check QUIPU_STORE`)
  const [{ seq, hash, market }] = rows
  return { seq: Number(seq), hash, marketModel: market, loss }
}

/** Tables that no start has brought up yet do not say which market model they have: the first. */
const marketIn = (format: number): string => (format < 4 ? '1 AS market' : 'market')
