import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openPool } from '../../postgres/connection.ts'
import type { FromReader, ToReader } from '../messages.ts'
import type { PostgresViewsData } from './postgres.ts'
import { postgresQuestion } from './queries.ts'

// The reader thread of PostgreSQL tables. It is separate from the engine, because reading long lists takes time. It
// uses several connections, so that no query waits for a slow one.
const port = parentPort as MessagePort
const { url, world } = workerData as PostgresViewsData
const pool = openPool(url)
const answering = new Set<Promise<void>>()

port.on('message', (message: ToReader) => {
  if (message.kind === 'close') return void close()
  const answered = answer(message)
    .then((told) => port.postMessage(told))
    .finally(() => answering.delete(answered))
  answering.add(answered)
})

async function close(): Promise<void> {
  await Promise.all(answering)
  await pool.end()
  port.close()
}

async function answer({ number, question }: Extract<ToReader, { kind: 'ask' }>): Promise<FromReader> {
  try {
    const { rows } = await pool.query(postgresQuestion(world, question))
    return { kind: 'answer', number, records: rows.map(({ record }) => record) }
  } catch (error) {
    // A question that makes no sense is its asker's fault; whatever else PostgreSQL reports is everyone's.
    if (isSenseless(error)) return { kind: 'refused', number, error }
    return { kind: 'failed', error, damaged: false }
  }
}

/** Class 22 of SQLSTATE: an invalid value. */
const isSenseless = (error: unknown): boolean =>
  error instanceof TypeError || String((error as { code?: string }).code).startsWith('22')
