import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorldEntry } from '@quipu/broker/registry/worlds.ts'
import { DIFFERENCE_ORDERS_MAX } from '@quipu/contract'
import {
  type Instant,
  type PlaceOrder,
  type Price,
  type Quantity,
  type Ticker,
  UNIT,
  type WorldId,
} from '@quipu/core'
import { Refused } from '../../../wire/refusal.ts'
import { call, openTestServer, type TestServer } from '../../testing/server.ts'
import { branchHere } from './branch.ts'

const hasAllCases = process.env['CASES'] === 'all'

/** Orders that are placed at once: fewer than the queue of the world holds. */
const BATCH = 500
const SECOND = 1_000_000_000n

/** A world with its fork, both at one instant. */
async function openBranches(past = 0): Promise<TestServer & { readonly fork: WorldEntry }> {
  const server = await openTestServer({ world: { latencyNs: 0n } })
  const { worlds } = server.services
  const lab = entryOf(server, 'lab')
  await place(server, lab, past, fills)
  return { ...server, fork: await worlds.lifecycle.fork(lab, 'fork' as WorldId) }
}

const entryOf = ({ services }: TestServer, name: string): WorldEntry => {
  const entry = services.worlds.entry(name as WorldId)
  assert.ok(entry)
  return entry
}

const order = ({ accountId }: TestServer): Omit<PlaceOrder, 'side' | 'type' | 'timeInForce'> => ({
  kind: 'placeOrder',
  accountId,
  symbol: 'F' as Ticker,
  extendedHours: false,
  quantity: UNIT as Quantity,
})
const rests = (server: TestServer): PlaceOrder => ({
  ...{ ...order(server), side: 'buy', type: 'limit', timeInForce: 'gtc' },
  limit: (UNIT / 100n) as Price,
})
const fills = (server: TestServer, number: number): PlaceOrder => ({
  ...{ ...order(server), side: number % 2 === 0 ? 'buy' : 'sell', type: 'market', timeInForce: 'day' },
})

/** Places orders without HTTP. */
async function place(
  server: TestServer,
  { world }: WorldEntry,
  count: number,
  orderOf: (server: TestServer, number: number) => PlaceOrder,
): Promise<void> {
  for (let from = 0; from < count; from += BATCH)
    await Promise.all(
      Array.from({ length: Math.min(BATCH, count - from) }, (_, number) =>
        world.commands.submit(orderOf(server, from + number), (_, decision) => assert.ok(decision.ok)),
      ),
    )
}

async function advance(server: TestServer): Promise<void> {
  for (const name of ['lab', 'fork']) {
    const { clock } = entryOf(server, name)
    assert.ok(clock)
    await clock.advance((clock.now() + SECOND) as Instant)
  }
}

const compare = (server: TestServer, query = '') =>
  call(server, `GET /sim/v1/worlds/lab/difference?against=fork${query}`, { key: server.operatorKey })

test('5,000 orders are compared over HTTP, and one more is refused', { skip: !hasAllCases }, async (t) => {
  const server = await openBranches()
  t.after(() => server.close())
  await place(server, server.fork, DIFFERENCE_ORDERS_MAX, rests)
  await advance(server)
  const found = await compare(server)
  assert.deepEqual([found.status, found.body.rows.length], [200, DIFFERENCE_ORDERS_MAX])
  await advance(server)
  await place(server, server.fork, 1, rests)
  const refused = await compare(server)
  assert.deepEqual(
    [refused.status, refused.body.message],
    [
      422,
      'time: expected an earlier instant; at this one fork has more than 5000 orders since the common past',
    ],
  )
  const earlier = await compare(server, `&time=${found.body.time}`)
  assert.deepEqual([earlier.status, earlier.body.rows.length], [200, DIFFERENCE_ORDERS_MAX])
})

test('orders or fills above the limit are refused with it, and an earlier instant is read', async (t) => {
  const server = await openBranches()
  t.after(() => server.close())
  const { accountId, fork } = server
  const tip = await branchHere(fork).tip()
  const question = { accountId, common: tip.seq, at: tip.now, tip }
  const read = (limits: Parameters<typeof branchHere>[1], at = question.at) =>
    branchHere(fork, limits)
      .state({ ...question, at })
      .catch((error) => error)
  await place(server, fork, 6, fills)
  await advance(server)
  await place(server, fork, 1, fills)
  const at = fork.world.engine.latest
  for (const [limits, named] of [
    [{ orders: 6, fills: 100 }, '6 orders'],
    [{ orders: 100, fills: 6 }, '6 fills'],
  ] as const) {
    const refused = await read(limits, at)
    assert.ok(refused instanceof Refused)
    const problem = `time: expected an earlier instant; at this one fork has more than ${named} since the common past`
    assert.deepEqual(refused.reason, { code: 'invalidParameter', problem })
    const { orders } = await read(limits)
    assert.equal(orders.length, 6)
  }
  assert.equal((await read({ orders: 7, fills: 7 }, at)).orders.length, 7)
})

/** `FIGURES=1` prints what docs/internals/performance.md shows. */
const showsFigures = process.env['FIGURES'] !== undefined

test('worlds with 100,000 events are compared', { skip: !hasAllCases && !showsFigures }, async (t) => {
  const server = await openBranches(30_000)
  t.after(() => server.close())
  await place(server, server.fork, DIFFERENCE_ORDERS_MAX, fills)
  await advance(server)
  assert.ok(server.fork.world.view.seq > 100_000, `${server.fork.world.view.seq} events`)
  const costs = []
  for (let round = 0; round < 3; round++) costs.push(await costOf(() => compare(server)))
  if (showsFigures) console.error(`${server.fork.world.view.seq} events`, costs)
})

/** The CPU time of this thread, and how much the heap grew at most. */
async function costOf(
  run: () => Promise<{ readonly status: number; readonly body: { readonly rows: unknown[] } }>,
) {
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().heapUsed)
  }, 5)
  const start = process.threadCpuUsage()
  const { status, body } = await run()
  const { user, system } = process.threadCpuUsage(start)
  clearInterval(watch)
  assert.deepEqual([status, body.rows.length], [200, DIFFERENCE_ORDERS_MAX])
  return { cpuMs: Math.round((user + system) / 1000), heapMb: Math.round((most - before) / 1e6) }
}
