import { openPool, type Pool } from '../../postgres/connection.ts'

const pools = new Map<string, Pool>()

/** The connections for reads that all worlds of this thread share. Idle ones are closed. */
export function poolOf(url: string): Pool {
  let pool = pools.get(url)
  if (!pool) pools.set(url, (pool = openPool(url)))
  return pool
}
