import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Decision, WorldId } from '@quipu/core'
import { NotApplied, OutcomeUnknown } from './engine.ts'
import { Fenced } from './journal/journal.ts'
import { Cluster } from './postgres/testing.ts'
import { postgresStore } from './postgres-store.ts'
import { eventOf } from './stored-event.ts'
import { buy, decided, openTestWorld, type TestWorld } from './testing.ts'

const cluster = await Cluster.start()
after(() => cluster.stop())

const warn = (): void => undefined
const open = (world: string): Promise<TestWorld> =>
  openTestWorld({ parts: postgresStore(cluster.url(), { warn }, world as WorldId) })

const place = ({ world, account }: TestWorld): Promise<Decision> =>
  decided(world, buy(account, 'AAPL', '0.01'))

/** Tries to place an order until one is acknowledged. */
async function placeAtLast(made: TestWorld): Promise<void> {
  for (;;) {
    try {
      return void (await place(made))
    } catch (error) {
      assert.ok(error instanceof NotApplied || error instanceof OutcomeUnknown, String(error))
      await sleep(20)
    }
  }
}

async function ordersOf({ world, account }: TestWorld): Promise<number> {
  await world.views.reached(world.engine.durable)
  const query = { accountId: account.id, status: 'all', limit: 10_000, direction: 'asc' } as const
  return (await world.views.orders(query)).length
}

test('the older of two engines stops: it takes no command, does not come back, and says who has its world', async () => {
  const older = await open('shared')
  await place(older)
  const newer = await open('shared')
  const before = newer.world.journal.head().seq
  await assert.rejects(place(older), NotApplied)
  await place(newer)
  while (!older.failures.some((error) => error instanceof Fenced)) await sleep(20)
  // Longer than it takes to begin again after any other failure.
  await sleep(1_200)
  await assert.rejects(place(older), NotApplied)
  await place(newer)
  assert.ok(newer.world.journal.head().seq > before)
  assert.deepEqual(newer.failures, [])
  assert.deepEqual((await newer.world.journal.fork()).head(), newer.world.journal.head())
  await older.world.close()
  await newer.world.close()
})

test('an older engine with nothing to store stops too', async () => {
  const older = await open('idle')
  const newer = await open('idle')
  while (!older.failures.some((error) => error instanceof Fenced)) await sleep(20)
  await assert.rejects(place(older), NotApplied)
  await place(newer)
  await Promise.all([older.world.close(), newer.world.close()])
})

test('when its connections break a world is made again, and goes on', async () => {
  const made = await open('cut')
  await place(made)
  for (let round = 1; round <= 3; round++) {
    await cluster.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'quipu' AND pid <> pg_backend_pid()",
    )
    await placeAtLast(made)
  }
  assert.ok((await ordersOf(made)) >= 4)
  assert.ok(made.failures.length > 0)
  assert.ok(!made.failures.some((error) => error instanceof Fenced))
  await made.world.close()
})

test('PostgreSQL killed amid commits: nothing acknowledged is lost, and the world goes on when it is back', async () => {
  const made = await open('killed')
  const acknowledged: bigint[] = []
  let unknown = 0
  let isOver = false
  const clients = Array.from({ length: 8 }, async () => {
    while (!isOver)
      try {
        const decision = await place(made)
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
  const kept = new Set<bigint>()
  for await (const entries of made.world.journal.read(0))
    for (const event of entries.map(eventOf)) if (event.kind === 'orderAccepted') kept.add(event.at)
  assert.deepEqual(
    acknowledged.filter((at) => !kept.has(at)),
    [],
  )
  assert.ok(kept.size >= acknowledged.length && kept.size <= acknowledged.length + unknown)
  await made.world.close()
})
