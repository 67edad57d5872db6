import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PostgresUnreachable } from '../../postgres/failures.ts'
import { openProxy } from '../../postgres/testing/tcp-proxy.ts'
import { AppendFailed, Fenced } from '../journal.ts'
import { all, events, hashOf, isCertain } from '../testing/journal-suite.ts'
import { openPostgresJournal } from './journal.ts'
import { cluster, lockRow, newWorld, openWorld } from './testing/server.ts'

const SQL_STATES = { adminShutdown: '57P01' }

test('no event of a group that the server rejects is stored', async () => {
  const world = newWorld()
  const journal = await openWorld(world)
  await journal.append(events(2))
  await cluster.run(`ALTER TABLE quipu_events ADD CONSTRAINT odd CHECK (world <> '${world}' OR seq < 4)`)
  await assert.rejects(journal.append(events(5).slice(2)), isCertain)
  await cluster.run('ALTER TABLE quipu_events DROP CONSTRAINT odd')
  const again = await openWorld(world)
  assert.deepEqual(again.head(), { seq: 2, hash: hashOf(2, 65_536) })
  assert.deepEqual(await all(again), events(2))
  await again.close()
})

test('a connection that breaks during an append leaves its outcome unknown', async () => {
  const world = newWorld()
  const journal = await openWorld(world)
  await journal.append(events(1))
  const busy = await lockRow(world)
  const append = journal.append(events(2).slice(1))
  append.catch(() => undefined)
  await busy.waiters(1)
  await busy.terminateWaiters()
  await assert.rejects(append, (error) => {
    assert.ok(error instanceof AppendFailed)
    assert.equal(error.certain, false)
    assert.equal((error.cause as { code?: string }).code, SQL_STATES.adminShutdown)
    return true
  })
  await busy.release()
  const again = await openWorld(world)
  assert.equal(again.head().seq, 1)
  await again.close()
})

test('a broken connection is reported without an append', async () => {
  const lost = Promise.withResolvers<unknown>()
  const world = newWorld()
  const journal = await openWorld(world, { onLost: lost.resolve })
  await cluster.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'quipu'
    AND query LIKE '%quipu_journals%' AND pid <> pg_backend_pid()`)
  assert.ok(!((await lost.promise) instanceof Fenced))
  await assert.rejects(journal.append(events(1)), isCertain)
  await journal.close()
})

test('a silent database is given up when the lease is over, with an unknown outcome of the append', async () => {
  const proxy = await openProxy(cluster.url())
  const lost = Promise.withResolvers<unknown>()
  const [idle, busy] = await Promise.all([
    openWorld(newWorld(), { url: proxy.url, onLost: lost.resolve }),
    openWorld(newWorld(), { url: proxy.url }),
  ])
  proxy.goSilent()
  await assert.rejects(busy.append(events(1)), (error) => error instanceof AppendFailed && !error.certain)
  assert.match(String(await lost.promise), /timeout/)
  assert.deepEqual([idle.isCurrentHolder(), busy.isCurrentHolder()], [false, false])
  await Promise.all([idle.close(), busy.close()])
  proxy.close()
})

test('an append that waits for a lock for longer than its lease is certainly not stored', async () => {
  const world = newWorld()
  const journal = await openWorld(world)
  const busy = await lockRow(world)
  await assert.rejects(journal.append(events(1)), isCertain)
  await busy.release()
  assert.equal((await openWorld(world)).head().seq, 0)
})

await cluster.database('guarded')
await cluster.run(
  'CREATE ROLE visitor LOGIN; REVOKE CREATE ON SCHEMA public FROM public',
  cluster.url('guarded'),
)

for (const [what, url] of [
  ['no server listens', 'postgres://quipu:hunter2@127.0.0.1:1/postgres'],
  ['the database does not exist', cluster.url('nowhere')],
  ['the database is read-only', `${cluster.url()}?options=-c%20default_transaction_read_only=on`],
  ['the role has no rights', cluster.url('guarded').replace('quipu:', 'visitor:')],
] as const)
  test(`when ${what}, the error says so without the password`, async () => {
    await assert.rejects(openPostgresJournal({ url, world: 'main', marketModel: 1 }), (error) => {
      assert.ok(error instanceof PostgresUnreachable)
      assert.match(error.message, /^PostgreSQL at 127\.0\.0\.1:\d+, database \w+ cannot be used: ./)
      assert.doesNotMatch(error.message, /hunter2/)
      return true
    })
  })
