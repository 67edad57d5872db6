import type { MessagePort } from 'node:worker_threads'
import { sqlState } from '../../postgres/failures.ts'
import { serveUsers } from '../../threads/shared-threads.ts'
import type { FromReader, ToReader } from '../messages.ts'
import type { PostgresQueryTablesData } from './postgres.ts'
import { postgresQuery } from './queries.ts'
import { poolOf } from './thread-pools.ts'

// The reader thread of PostgreSQL tables, for all worlds of the process. It is separate from the engine, because reading
// long lists takes time. It uses several connections, so that no query waits for a slow one.
serveUsers<PostgresQueryTablesData>((port, data) => {
  const running = new Set<Promise<void>>()
  port.on('message', (message: ToReader) => {
    if (message.kind === 'close') return void close(port, running)
    const run = runQuery(data, message)
      .then((result) => port.postMessage(result))
      .finally(() => running.delete(run))
    running.add(run)
  })
})

async function close(port: MessagePort, running: Iterable<Promise<void>>): Promise<void> {
  await Promise.all(running)
  port.close()
}

async function runQuery(
  data: PostgresQueryTablesData,
  { number, query }: Extract<ToReader, { kind: 'query' }>,
): Promise<FromReader> {
  try {
    const { rows } = await poolOf(data).query(postgresQuery(data.world, query))
    return { kind: 'result', number, records: rows.map(({ record }) => record) }
  } catch (error) {
    // An invalid query fails alone; any other PostgreSQL error ends the query tables.
    if (isInvalidValue(error)) return { kind: 'refused', number, error }
    return { kind: 'failed', error, damaged: false }
  }
}

/** Class 22 of SQLSTATE: an invalid value. */
const isInvalidValue = (error: unknown): boolean =>
  error instanceof TypeError || sqlState(error)?.startsWith('22') === true
