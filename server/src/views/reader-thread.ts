import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { isDamage, openDatabase } from './database.ts'
import type { FromReader, ReaderData, ToReader } from './messages.ts'
import { TableQueries } from './table-queries.ts'

// The thread that answers questions. Apart from the one that writes, so that no question waits for a batch or a
// snapshot; it sees all that was committed before it was asked.
const port = parentPort as MessagePort
const { file, world } = workerData as ReaderData
const database = openDatabase(file, { readOnly: true })
const queries = new TableQueries(database, world)

port.on('message', (message: ToReader) => {
  if (message.kind === 'close') {
    database.close()
    port.close()
  } else port.postMessage(answer(message))
})

function answer({ number, question }: Extract<ToReader, { kind: 'ask' }>): FromReader {
  try {
    return { kind: 'answer', number, records: queries.answer(question) }
  } catch (error) {
    // A question that makes no sense is its asker's fault; what SQLite reports is everyone's.
    if (!(error as { errcode?: number }).errcode) return { kind: 'refused', number, error }
    return { kind: 'failed', error, damaged: isDamage(error) }
  }
}
