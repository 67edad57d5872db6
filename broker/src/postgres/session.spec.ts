import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppendFailed, type Journal } from '../journal/journal.ts'
import { openPostgresJournal } from '../journal/postgres/journal.ts'
import { all, events, isCertain } from '../journal/testing/journal-suite.ts'
import { connect, openPool, withConnection } from './connection.ts'
import { durabilityWarnings } from './statements.ts'
import { Cluster } from './testing/server.ts'

const server = await Cluster.start()
after(() => server.stop())

const settings = [
  ["synchronous_commit = 'off'", 'on'],
  ["default_transaction_isolation = 'serializable'", 'read committed'],
  ["client_min_messages = 'error'", 'warning'],
  ["statement_timeout = '700ms'", '0'],
  ["idle_session_timeout = '700ms'", '0'],
  ["array_nulls = 'off'", 'on'],
  ["datestyle = 'German'", 'ISO, MDY'],
  ["bytea_output = 'escape'", 'escape'],
  ["standard_conforming_strings = 'off'", 'off'],
] as const

const url = await server.database('configured')
for (const [setting] of settings) await server.run(`ALTER DATABASE configured SET ${setting}`)

for (const [setting, value] of settings)
  test(`a database with ${setting}: connections have ${value}`, async () => {
    const [name] = setting.split(' ')
    const show = { text: `SHOW ${name}` }
    const pool = openPool(url)
    for (const { rows } of [await pool.query(show), await withConnection(url, (one) => one.query(show))])
      assert.equal(Object.values(rows[0])[0], value)
    await pool.end()
  })

test('a database with other settings stores events as usual', async () => {
  const open = (world: string) => openPostgresJournal({ url, world, marketModel: 1, waits: false })
  const journals = await Promise.all(['a', 'b', 'c'].map(open))
  await Promise.all(journals.map((journal) => journal.append(events(3))))
  // Longer than the timeouts.
  await sleep(900)
  for (const journal of journals) {
    await journal.append(events(5).slice(3))
    assert.deepEqual(await all(journal), events(5))
    await journal.close()
  }
})

test('a database that commits before data is on disk is reported', async () => {
  const connection = await connect(url)
  assert.match((await durabilityWarnings(connection)).join(), /synchronous_commit = off/)
  await connection.end()
})

async function appendForever(journal: Journal): Promise<void> {
  for (let stored = 0; ; stored += 1) await journal.append(events(stored + 1).slice(stored))
}

const isUnknown = (error: unknown) =>
  error instanceof AppendFailed && !isCertain(error) && /wait for synchronous replication/.test(error.message)

const cancelWaiting = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
  WHERE wait_event = 'SyncRep' AND query LIKE '%INSERT INTO quipu_events%'`

// PostgreSQL reports success for such a statement, with a warning. The database is configured to send none.
test('an append that an administrator cancels while it waits for the standby is not confirmed', async () => {
  const journal = await openPostgresJournal({ url, world: 'canceled', marketModel: 1, waits: false })
  const failed = assert.rejects(appendForever(journal), isUnknown)
  await server.run("ALTER SYSTEM SET synchronous_standby_names = 'lost'")
  await server.run('SELECT pg_reload_conf()')
  while ((await server.run(cancelWaiting)).length === 0) await sleep(10)
  await failed
})
