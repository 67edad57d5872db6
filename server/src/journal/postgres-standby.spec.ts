import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster } from '../postgres/testing/server.ts'
import { AppendFailed, type Journal } from './journal.ts'
import { openPostgresJournal } from './postgres.ts'
import { events, isCertain } from './testing/journal-suite.ts'

const database = await Cluster.start()
after(() => database.stop())

async function appendForever(journal: Journal): Promise<void> {
  for (let stored = 0; ; stored += 1) await journal.append(events(stored + 1).slice(stored))
}

const isUnknown = (error: unknown) =>
  error instanceof AppendFailed && !isCertain(error) && /wait for synchronous replication/.test(error.message)

const cancelWaiting = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
  WHERE wait_event = 'SyncRep' AND query LIKE '%INSERT INTO quipu_events%'`

// PostgreSQL reports success for such a statement, with a warning.
test('an append that an administrator cancels while it waits for the standby is not confirmed', async () => {
  const url = database.url()
  const journal = await openPostgresJournal({ url, world: 'canceled', marketModel: 1, waits: false })
  const failed = assert.rejects(appendForever(journal), isUnknown)
  await database.run("ALTER SYSTEM SET synchronous_standby_names = 'lost'")
  await database.run('SELECT pg_reload_conf()')
  while ((await database.run(cancelWaiting)).length === 0) await sleep(10)
  await failed
})
