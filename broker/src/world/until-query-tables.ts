import { NotApplied } from '../journal/not-applied.ts'
import type { QueryTables } from '../query-tables/query-tables.ts'

/**
 * Waits until the query tables have an event, at most `waitMs`: on a full disk they stay behind until it has space. No
 * request waits in any other way.
 */
export async function untilQueryTables(queryTables: QueryTables, seq: number, waitMs: number): Promise<void> {
  if (queryTables.position() >= seq) return
  let timer: NodeJS.Timeout | undefined
  // A failure of the query tables restarts the world.
  const reached = queryTables.reached(seq).then(
    () => true,
    () => Promise.reject(new NotApplied('worldRestarting')),
  )
  const tooLong = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, waitMs, false).unref()
  })
  // The promise that loses the race may reject later.
  reached.catch(() => undefined)
  try {
    if (!(await Promise.race([reached, tooLong]))) throw new NotApplied('queryTablesBehind')
  } finally {
    clearTimeout(timer)
  }
}
