import { SEGMENT_EVENTS } from '../../journal/chain.ts'
import { type JournalLost, lossOf } from '../../journal/journal.ts'
import type { PostgresConnection, Queries } from '../../postgres/connection.ts'

/** One statement reads one snapshot, so a running engine does not look like a loss. */
const followers = `
  SELECT coalesce((SELECT seq FROM quipu_journals WHERE world = $1), 0) AS end,
    (SELECT position FROM quipu_query_tables WHERE world = $1) AS quipu_query_tables,
    (SELECT max(seq) FROM quipu_snapshots WHERE world = $1) AS quipu_snapshots,
    (SELECT max(seq) FROM quipu_events WHERE world = $1) AS quipu_events`

/** The loss that the tables of a world prove, if any. */
export async function lossInPostgres(queries: Queries, world: string): Promise<JournalLost | undefined> {
  const { rows } = await queries.query({ name: 'followers', text: followers, values: [world] })
  const { end, ...ahead } = rows[0]
  return lossOf(
    Number(end),
    Object.entries(ahead).map(([table, seq]) => ({ name: `table ${table}`, seq: Number(seq ?? 0) })),
  )
}

const tables = ['query_tables', 'orders', 'requests', 'history', 'updates'] as const

/**
 * Renames the world of the rows that prove a loss, so that the journal can continue. Returns the new name. Call it in
 * a transaction.
 */
export async function renameProof(
  connection: PostgresConnection,
  world: string,
  { end, ahead }: JournalLost,
): Promise<string> {
  const newName = `${world}.journal-loss-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`
  const renameRows = (table: string, which = '') =>
    connection.query(`UPDATE quipu_${table} SET world = $2 WHERE world = $1 ${which}`, [world, newName])
  if (ahead.some(({ name }) => name === 'table quipu_query_tables'))
    for (const table of tables) await renameRows(table)
  await renameRows('snapshots', `AND seq > ${end}`)
  await renameRows('events', `AND seq > ${end}`)
  await renameRows('segments', `AND segment * ${SEGMENT_EVENTS}::bigint >= ${end}`)
  return newName
}
