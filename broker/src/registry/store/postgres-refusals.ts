import { LEASE_MS } from '../../journal/lease.ts'
import type { Queries } from '../../postgres/connection.ts'
import {
  parseRefusal,
  RefusalQueue,
  type RefusalStore,
  type RefusedCommand,
  refusalText,
} from '../../world/requests/refused-orders.ts'

const addRows = `INSERT INTO quipu_refusals (world, request, record)
  SELECT $1, * FROM unnest($2::text[], $3::text[]) ON CONFLICT DO NOTHING`
const oneRow = 'SELECT record FROM quipu_refusals WHERE world = $1 AND request = $2'
const deleteOld = `DELETE FROM quipu_refusals WHERE world = $1 AND number <= (
  SELECT number FROM quipu_refusals WHERE world = $1 ORDER BY number DESC OFFSET $2 LIMIT 1)`

/**
 * The latest refused orders of a journal in PostgreSQL, so that every node can explain them. At most twice `max` rows: old
 * ones are deleted after as many new ones. A process that has lost the journal may still add rows, which is harmless.
 */
export function postgresRefusals(queries: () => Queries, journal: string, max: number): RefusalStore {
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
