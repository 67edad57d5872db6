import { openPool, type Pool } from '../../postgres/connection.ts'
import type { PostgresQueryTablesData } from './postgres.ts'

const pools = new Map<string, Pool>()

/** The connections to a selected primary that all worlds of this thread share. Idle ones are closed. */
export function poolOf({ url, number }: Pick<PostgresQueryTablesData, 'url' | 'number'>): Pool {
  const key = `${number} ${url}`
  let pool = pools.get(key)
  if (pool) return pool
  for (const [other, { totalCount }] of pools) if (totalCount === 0) pools.delete(other)
  pools.set(key, (pool = openPool(url)))
  return pool
}
