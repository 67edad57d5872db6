import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openPool } from '../../postgres/connection.ts'
import type { FromReader, ToReader } from '../messages.ts'
import type { PostgresViewsData } from './postgres.ts'
import { postgresQuery } from './queries.ts'

// The reader thread of PostgreSQL tables. It is separate from the engine, because reading long lists takes time. It
// uses several connections, so that no query waits for a slow one.
const port = parentPort as MessagePort
const { url, world } = workerData as PostgresViewsData
const pool = openPool(url)
const running = new Set<Promise<void>>()

port.on('message', (message: ToReader) => {
  if (message.kind === 'close') return void close()
  const run = runQuery(message)
    .then((result) => port.postMessage(result))
    .finally(() => running.delete(run))
  running.add(run)
})

async function close(): Promise<void> {
  await Promise.all(running)
  await pool.end()
  port.close()
}

async function runQuery({ number, query }: Extract<ToReader, { kind: 'query' }>): Promise<FromReader> {
  try {
    const { rows } = await pool.query(postgresQuery(world, query))
    return { kind: 'result', number, records: rows.map(({ record }) => record) }
  } catch (error) {
    // An invalid query fails alone; any other PostgreSQL error ends the views.
    if (isInvalidValue(error)) return { kind: 'refused', number, error }
    return { kind: 'failed', error, damaged: false }
  }
}

/** Class 22 of SQLSTATE: an invalid value. */
const isInvalidValue = (error: unknown): boolean =>
  error instanceof TypeError || String((error as { code?: string }).code).startsWith('22')
