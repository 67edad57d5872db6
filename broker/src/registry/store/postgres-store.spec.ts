import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Decision, WorldId } from '@quipu/core'
import { Fenced } from '../../journal/journal.ts'
import { NotApplied } from '../../journal/not-applied.ts'
import { eventOf } from '../../journal/stored-event.ts'
import { Cluster } from '../../postgres/testing/server.ts'
import { openProxy } from '../../postgres/testing/tcp-proxy.ts'
import { OutcomeUnknown } from '../../world/submitted.ts'
import { buy, decided, openTestWorld, type TestWorld } from '../../world/testing/world.ts'
import { PostgresServer } from './postgres-server.ts'
import { postgresStore } from './postgres-store.ts'

const cluster = await Cluster.start()
after(() => cluster.stop())

const warn = (): void => undefined
const open = (world: string, url = cluster.url()): Promise<TestWorld> =>
  openTestWorld({ parts: postgresStore(new PostgresServer(url), { warn }, world as WorldId) })

const place = ({ world, account }: TestWorld): Promise<Decision> =>
  decided(world, buy(account, 'AAPL', '0.01'))

/** Retries to place an order until one is confirmed. */
async function placeWithRetries(testWorld: TestWorld): Promise<void> {
  for (;;) {
    try {
      return void (await place(testWorld))
    } catch (error) {
      assert.ok(error instanceof NotApplied || error instanceof OutcomeUnknown, String(error))
      await sleep(20)
    }
  }
}

async function ordersOf({ world, account }: TestWorld): Promise<number> {
  await world.storage.queryTables.reached(world.engine.durable)
  const query = { accountId: account.id, status: 'all', limit: 10_000, direction: 'asc' } as const
  return (await world.storage.queryTables.orders(query)).length
}

test('the older of two engines stops: it refuses commands, does not restart, and reports the new holder', async () => {
  const older = await open('shared')
  await place(older)
  const newer = await open('shared')
  const before = newer.world.storage.journal.head().seq
  await assert.rejects(place(older), NotApplied)
  await place(newer)
  while (!older.failures.some((error) => error instanceof Fenced)) await sleep(20)
  // Longer than a restart takes after any other failure.
  await sleep(1_200)
  assert.equal(older.failures.length, 1, String(older.failures))
  await assert.rejects(place(older), NotApplied)
  await place(newer)
  assert.ok(newer.world.storage.journal.head().seq > before)
  assert.deepEqual(newer.failures, [])
  assert.deepEqual((await newer.world.storage.journal.fork()).head(), newer.world.storage.journal.head())
  await older.world.close()
  await newer.world.close()
})

test('an older engine without pending events stops too', async () => {
  const older = await open('idle')
  const newer = await open('idle')
  while (!older.failures.some((error) => error instanceof Fenced)) await sleep(20)
  await assert.rejects(place(older), NotApplied)
  await place(newer)
  await Promise.all([older.world.close(), newer.world.close()])
  assert.equal(older.failures.length, 1, String(older.failures))
})

test('an engine that lost its database refuses reads before another engine takes its world over', async (t) => {
  const proxy = await openProxy(cluster.url())
  t.after(() => proxy.close())
  const older = await open('silent', proxy.url)
  await place(older)
  proxy.goSilent()
  assert.equal((await older.world.engine.read((view) => view.orders.size)).value, 1)
  const newer = await open('silent')
  assert.throws(() => older.world.engine.read((view) => view.orders.size), NotApplied)
  assert.throws(() => older.world.storage.queryTables, NotApplied)
  await assert.rejects(place(older), NotApplied)
  assert.equal(older.world.status.isUp, false)
  await place(newer)
  proxy.close()
  await Promise.all([older.world.close(), newer.world.close()])
})

test('with several hosts the primary is used, and the new one after a failover', async (t) => {
  const other = await Cluster.start()
  t.after(() => other.stop())
  const hostOf = (url: string) => new URL(url).host
  const [dead, standby, primary] = ['127.0.0.1:1', hostOf(other.url()), hostOf(cluster.url())]
  await other.run('ALTER SYSTEM SET default_transaction_read_only = on')
  await other.run('SELECT pg_reload_conf()')
  while ((await other.run('SHOW transaction_read_only'))[0]!['transaction_read_only'] !== 'on')
    await sleep(20)
  const several = cluster.url().replace(primary, [dead, standby, primary].join(','))
  const testWorld = await open('several', several)
  await place(testWorld)
  assert.ok((await ordersOf(testWorld)) >= 1)
  await testWorld.world.close()
  await assert.rejects(
    open('several', cluster.url().replace(primary, `${dead},${standby}`)),
    (error: Error) => {
      assert.match(
        error.message,
        /^PostgreSQL at 127\.0\.0\.1:1,127\.0\.0\.1:\d+, database postgres cannot be used/,
      )
      assert.match(error.message, /is a standby or read-only$/)
      assert.doesNotMatch(error.message, /hunter2/)
      return true
    },
  )
})

test('a primary that has lost its standby confirms no writes, so its engine refuses reads', async (t) => {
  const isolated = await Cluster.start()
  t.after(() => isolated.stop())
  const testWorld = await open('isolated', isolated.url())
  await place(testWorld)
  // The standby was promoted elsewhere. Reads still succeed on this primary, writes wait forever.
  await isolated.run("ALTER SYSTEM SET synchronous_standby_names = 'elsewhere'")
  await isolated.run('SELECT pg_reload_conf()')
  while (testWorld.world.status.isUp) await sleep(20)
  assert.throws(() => testWorld.world.engine.read((view) => view.seq), NotApplied)
  await isolated.run('ALTER SYSTEM RESET synchronous_standby_names')
  await isolated.run('SELECT pg_reload_conf()')
  await placeWithRetries(testWorld)
  await testWorld.world.close()
})

test('when its connections break, a world is rebuilt and continues', async () => {
  const testWorld = await open('cut')
  await place(testWorld)
  for (let round = 1; round <= 3; round++) {
    await cluster.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'quipu' AND pid <> pg_backend_pid()",
    )
    await placeWithRetries(testWorld)
  }
  assert.ok((await ordersOf(testWorld)) >= 4)
  assert.ok(testWorld.failures.length > 0)
  assert.ok(!testWorld.failures.some((error) => error instanceof Fenced))
  await testWorld.world.close()
})

test('PostgreSQL killed during commits: no confirmed order is lost, and the world continues after its restart', async () => {
  const testWorld = await open('killed')
  const acknowledged: bigint[] = []
  let unknown = 0
  let isOver = false
  const clients = Array.from({ length: 8 }, async () => {
    while (!isOver)
      try {
        const decision = await place(testWorld)
        assert.ok(decision.ok)
        acknowledged.push(decision.value[0]!.at)
      } catch (error) {
        assert.ok(error instanceof NotApplied || error instanceof OutcomeUnknown, String(error))
        if (error instanceof OutcomeUnknown) unknown += 1
        await sleep(5)
      }
  })
  for (let round = 1; round <= 2; round++) {
    const before = acknowledged.length
    while (acknowledged.length < before + 50) await sleep(5)
    await cluster.kill()
    await cluster.start()
  }
  const before = acknowledged.length
  while (acknowledged.length < before + 50) await sleep(5)
  isOver = true
  await Promise.all(clients)
  const stored = new Set<bigint>()
  for await (const entries of testWorld.world.storage.journal.read(0))
    for (const event of entries.map(eventOf)) if (event.kind === 'orderAccepted') stored.add(event.at)
  assert.deepEqual(
    acknowledged.filter((at) => !stored.has(at)),
    [],
  )
  assert.ok(stored.size >= acknowledged.length && stored.size <= acknowledged.length + unknown)
  await testWorld.world.close()
})

test('the latest refused orders of a journal are stored, up to twice the limit', async () => {
  const server = new PostgresServer(cluster.url())
  const max = 3
  const store = postgresStore(server, { warn }, 'refused' as WorldId).refusals!(max)
  const refusal = (cause: string) =>
    ({ cause, at: 7n, command: { kind: 'cancelOrder' }, reason: { code: 'x', limit: 3n } }) as never
  for (let number = 1; number <= 8; number++) {
    store.add('any', refusal(`r${number}`))
    await store.written()
  }
  assert.deepEqual(await store.find('any', 'r8'), refusal('r8'))
  const rows = await cluster.run(`SELECT request FROM quipu_refusals WHERE world = 'refused' ORDER BY number`)
  assert.deepEqual(
    rows.map(({ request }) => request),
    ['r4', 'r5', 'r6', 'r7', 'r8'],
  )
  // A request id is stored once, and another journal does not have it.
  store.add('any', refusal('r8'))
  await store.written()
  assert.equal(await postgresStore(server, { warn }).refusals!(max).find('main', 'r8'), undefined)
})
