import { workerData } from 'node:worker_threads'
import { sqliteCode } from '../../data-folder/sqlite-code.ts'
import { portOfThread } from '../../threads/thread.ts'
import type { FromReader, ReaderData, ToReader } from '../messages.ts'
import { isDamage, openDatabase } from './database.ts'
import { TableQueries } from './table-queries.ts'

// The reader thread runs queries. It is separate from the writer thread, so that no query waits for a batch or a
// snapshot. It sees all rows that were committed before the query.
const port = portOfThread()
const { file, world } = workerData as ReaderData
const database = openDatabase(file, { readOnly: true })
const queries = new TableQueries(database, world)

port.on('message', (message: ToReader) => {
  if (message.kind === 'close') {
    database.close()
    port.close()
  } else port.postMessage(runQuery(message))
})

function runQuery({ number, query }: Extract<ToReader, { kind: 'query' }>): FromReader {
  try {
    return { kind: 'result', number, records: queries.run(query) }
  } catch (error) {
    // An invalid query fails alone; an SQLite error ends the query tables.
    if (!sqliteCode(error)) return { kind: 'refused', number, error }
    return { kind: 'failed', error, damaged: isDamage(error) }
  }
}
