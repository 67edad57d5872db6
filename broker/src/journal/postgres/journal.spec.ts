import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { QueryConfig } from 'pg'
import { connect } from '../../postgres/connection.ts'
import { PostgresNewer, PostgresUnreachable } from '../../postgres/failures.ts'
import { Cluster } from '../../postgres/testing/server.ts'
import { openProxy } from '../../postgres/testing/tcp-proxy.ts'
import { HashChain, openBytes } from '../chain.ts'
import { AppendFailed, type Entry, Fenced, JournalClosed, JournalDamaged } from '../journal.ts'
import { all, events, grouped, hashOf, isCertain, journalSuite } from '../testing/journal-suite.ts'
import { openPostgresJournal } from './journal.ts'
import { newHolder, takeLease } from './lease.ts'
import type { PostgresOptions } from './leased-journal.ts'

const cluster = await Cluster.start()
after(() => cluster.stop())

await cluster.database('guarded')
await cluster.run(
  'CREATE ROLE visitor LOGIN; REVOKE CREATE ON SCHEMA public FROM public',
  cluster.url('guarded'),
)

const SMALL = { segmentEvents: 4 }
const SQL_STATES = { adminShutdown: '57P01' }
let worlds = 0
const newWorld = () => `world ${++worlds}`

const open = (world: string, options: Partial<PostgresOptions> = {}) =>
  openPostgresJournal({ url: cluster.url(), world, marketModel: 1, waits: false, ...options })

journalSuite('postgres', (options) => open(newWorld(), options))

test('a reopened journal continues across segments, with the same hash', async () => {
  const world = newWorld()
  let stored = 0
  for (const group of grouped(events(21), [3, 1, 4, 8, 1, 4])) {
    const journal = await open(world, SMALL)
    assert.deepEqual(journal.head(), { seq: stored, hash: hashOf(stored) })
    await journal.append(group)
    stored += group.length
    await journal.close()
  }
  const journal = await open(world, SMALL)
  assert.deepEqual(await all(journal), events(21))
  assert.equal(journal.head().hash, hashOf(21))
  await journal.close()
})

test('a journal continues a chain that was computed before, if the chain is of this journal', async () => {
  const world = newWorld()
  const written = await open(world)
  await written.append(events(9))
  const position = written.head()
  const hashAt4 = await written.hashAt(4)
  await written.close()
  const chain = new HashChain()
  const [head, rest] = grouped(events(9), [6, 3]) as [Entry[], Entry[]]
  chain.update(openBytes(head), head.length)
  // A wrong hash shows that the journal knows it and did not read the events again.
  const ofThis = { chain, base: { seq: 4, hash: 'known' } }
  const ofAnother = { chain: new HashChain(), base: { seq: 4, hash: 'known' } }
  ofAnother.chain.update(openBytes(rest), rest.length)
  for (const [known, hash] of [
    [ofThis, 'known'],
    [ofAnother, hashAt4],
  ] as const) {
    const journal = await open(world, { known })
    assert.deepEqual(journal.head(), position)
    assert.equal(await journal.hashAt(4), hash)
    await journal.close()
  }
})

test('worlds of one database are isolated', async () => {
  const [one, other] = [await open(newWorld()), await open(newWorld())]
  await one.append(events(3))
  await other.append(events(1))
  assert.deepEqual([(await all(one)).length, (await all(other)).length], [3, 1])
  await Promise.all([one.close(), other.close()])
})

test('of two engines on one world the older is rejected, and no event is written twice', async () => {
  const world = newWorld()
  const older = await open(world)
  await older.append(events(2))
  const newer = await open(world)
  await assert.rejects(older.append(events(4).slice(2)), (error) => error instanceof Fenced && error.certain)
  await assert.rejects(older.append(events(1)), isCertain)
  await newer.append(events(5).slice(2))
  assert.deepEqual(await all(newer), events(5))
  await newer.close()
})

test('an older engine that appends nothing also notices the takeover', async () => {
  const world = newWorld()
  const lost = Promise.withResolvers<unknown>()
  const older = await open(world, { onLost: lost.resolve })
  const newer = await open(world)
  const error = await lost.promise
  assert.ok(error instanceof Fenced)
  assert.match(error.message, new RegExp(`^the world ${world} was taken over by .* process ${process.pid} `))
  assert.throws(() => older.head(), JournalClosed)
  await assert.rejects(older.append(events(1)), Fenced)
  await newer.close()
})

test('a holder gets its world back after a failure, but not from a later holder', async () => {
  const world = newWorld()
  const holder = newHolder()
  await (await open(world, { holder })).append(events(1))
  const again = await open(world, { holder })
  await again.append(events(2).slice(1))
  const newer = await open(world, { holder: newHolder() })
  await assert.rejects(open(world, { holder }), Fenced)
  await newer.append(events(3).slice(2))
  await newer.close()
})

test('a first takeover that reaches the database late fails', async () => {
  const world = newWorld()
  const connection = await connect(cluster.url())
  const sent: QueryConfig[] = []
  const breaking = new Proxy(connection, {
    get: (target, name) =>
      name !== 'query'
        ? Reflect.get(target, name)
        : (query: string | QueryConfig, values: unknown[]) =>
            typeof query === 'string' ? target.query(query, values) : sent.push(query) && never,
  })
  const never = new Promise<never>(() => {})
  for (const isFirst of [true, false]) {
    void takeLease(breaking, { address: 'here', world, marketModel: 1 }, newHolder(), { waits: false })
    while (sent.length === 0) await new Promise(setImmediate)
    const journal = await open(world)
    await connection.query(sent.pop()!)
    await journal.append(events(isFirst ? 1 : 2).slice(isFirst ? 0 : 1))
    await journal.close()
  }
  await connection.end()
})

test('no event of a group that the server rejects is stored', async () => {
  const world = newWorld()
  const journal = await open(world)
  await journal.append(events(2))
  await cluster.run(`ALTER TABLE quipu_events ADD CONSTRAINT odd CHECK (world <> '${world}' OR seq < 4)`)
  await assert.rejects(journal.append(events(5).slice(2)), isCertain)
  await cluster.run('ALTER TABLE quipu_events DROP CONSTRAINT odd')
  const again = await open(world)
  assert.deepEqual(again.head(), { seq: 2, hash: hashOf(2, 65_536) })
  assert.deepEqual(await all(again), events(2))
  await again.close()
})

test('a connection that breaks during an append leaves its outcome unknown', async () => {
  const world = newWorld()
  const journal = await open(world)
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
  const again = await open(world)
  assert.equal(again.head().seq, 1)
  await again.close()
})

test('a takeover waits for the running append', async () => {
  const world = newWorld()
  const older = await open(world)
  await older.append(events(1))
  const busy = await lockRow(world)
  const append = older.append(events(2).slice(1))
  await busy.waiters(1)
  const opening = open(world)
  await busy.waiters(2)
  await busy.release()
  await append
  const newer = await opening
  assert.equal(newer.head().seq, 2)
  await newer.close()
  await older.close()
})

test('a broken connection is reported without an append', async () => {
  const lost = Promise.withResolvers<unknown>()
  const world = newWorld()
  const journal = await open(world, { onLost: lost.resolve })
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
    open(newWorld(), { url: proxy.url, onLost: lost.resolve }),
    open(newWorld(), { url: proxy.url }),
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
  const journal = await open(world)
  const busy = await lockRow(world)
  await assert.rejects(journal.append(events(1)), isCertain)
  await busy.release()
  assert.equal((await open(world)).head().seq, 0)
})

for (const [what, sql, from] of [
  ['a changed event of the last segment', `UPDATE quipu_events SET open = '{}' WHERE seq = 6`, 5],
  ['a missing event', 'DELETE FROM quipu_events WHERE seq = 6', 5],
  ['a missing segment', 'DELETE FROM quipu_segments WHERE segment = 1', 1],
  ['a changed head', `UPDATE quipu_journals SET hash = repeat('0', 64)`, 5],
  ['an earlier head', 'UPDATE quipu_journals SET seq = 3', 1],
] as const)
  test(`a journal with ${what} does not open, and the error names the location`, async () => {
    const world = newWorld()
    const journal = await open(world, SMALL)
    await journal.append(events(7))
    await journal.close()
    await cluster.run(`${sql} ${sql.includes('WHERE') ? 'AND' : 'WHERE'} world = '${world}'`)
    await assert.rejects(open(world, SMALL), (error) => {
      assert.ok(error instanceof JournalDamaged)
      assert.equal(error.damage.from, from)
      assert.match(error.message, /^journal damaged from event \d+ on: table quipu_/)
      return true
    })
  })

test('tables of a newer version are rejected', async () => {
  const url = await cluster.database('newer')
  await (await openPostgresJournal({ url, world: 'main', marketModel: 1 })).close()
  await cluster.run('INSERT INTO quipu_meta (format) VALUES (999)', url)
  await assert.rejects(openPostgresJournal({ url, world: 'main', marketModel: 1 }), (error) => {
    assert.ok(error instanceof PostgresNewer)
    assert.match(error.message, /database newer has table format 999, this version reads up to \d+$/)
    return true
  })
})

test('several processes may create the tables at the same time', async () => {
  const url = await cluster.database('crowd')
  const journals = await Promise.all(
    ['a', 'b', 'c', 'd'].map((world) => openPostgresJournal({ url, world, marketModel: 1 })),
  )
  await Promise.all(journals.map((journal) => journal.close()))
})

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

/** Locks the head row of a world, so that appends and takeovers wait. */
async function lockRow(world: string) {
  const connection = await connect(cluster.url())
  await connection.query('BEGIN')
  await connection.query('SELECT 1 FROM quipu_journals WHERE world = $1 FOR UPDATE', [world])
  const waiting = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%quipu_journals%'"
  return {
    async waiters(count: number): Promise<void> {
      while (Number((await cluster.run(`SELECT count(*) ${waiting}`))[0]!.count) < count) await sleep(20)
    },
    terminateWaiters: () => cluster.run(`SELECT pg_terminate_backend(pid) ${waiting}`),
    async release(): Promise<void> {
      await connection.query('COMMIT')
      await connection.end()
    },
  }
}
