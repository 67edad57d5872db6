import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  auditFaults,
  type ClientOrderId,
  definedFields,
  type Instant,
  type Order,
  type OrderId,
} from '@quipu/core'
import type { Committed } from '../journal/committed.ts'
import { NotApplied } from '../journal/not-applied.ts'
import { amount, buy, decided, instant, openTestWorld, type TestWorld } from './testing/world.ts'

const SECOND = 1_000_000_000n

const orderIn = ({ world }: TestWorld): Order => [...world.view.orders.values()].at(-1)!

async function place(
  testWorld: TestWorld,
  ...order: [symbol: string, quantity: string, limit?: string]
): Promise<Order> {
  const { value } = await testWorld.world.commands.submit(
    buy(testWorld.account, ...order),
    (view, decision) => {
      assert.ok(decision.ok, decision.ok ? '' : decision.reason.code)
      const [event] = decision.value
      return view.orders.get((event as { order: Order }).order.id)!
    },
  )
  return value
}

const advance = (testWorld: TestWorld, seconds: bigint) =>
  testWorld.clock.advance((testWorld.world.engine.latest + seconds * SECOND) as Instant)

test('a market order is accepted first, and filled by the commands that follow', async () => {
  const testWorld = await openTestWorld()
  const answered = await place(testWorld, 'AAPL', '3')
  assert.equal(answered.status, 'pendingNew')
  assert.equal(testWorld.world.view.orders.get(answered.id)?.status, 'filled')
  assert.deepEqual(testWorld.failures, [])
})

test('with a latency, an order reaches the market after that delay', async () => {
  const testWorld = await openTestWorld({ settings: { latencyNs: 2n * SECOND } })
  const { id } = await place(testWorld, 'AAPL', '3')
  const status = () => testWorld.world.view.orders.get(id)?.status
  assert.equal(status(), 'pendingNew')
  await advance(testWorld, 1n)
  assert.equal(status(), 'pendingNew')
  await advance(testWorld, 1n)
  assert.equal(status(), 'filled')
})

test('a resting limit order fills at the first instant the quote reaches it, and not before', async () => {
  const testWorld = await openTestWorld()
  const { world } = testWorld
  const quote = world.market.pricesAt(world.engine.now).quote('AAPL' as never)!
  const limit = (quote.bid - 300_000_000n) as never
  const touch = await world.market.schedule.nextTouch({
    symbol: 'AAPL' as never,
    side: 'buy',
    price: limit,
    from: world.engine.now,
    to: (world.engine.now + 86_400n * SECOND) as Instant,
  })
  assert.ok(touch, 'the price is reached within a day')
  const { id } = await place(testWorld, 'AAPL', '1', String(Number(limit) / 1e9))
  await testWorld.clock.advance((touch - 1n) as Instant)
  assert.equal(world.view.orders.get(id)?.status, 'new')
  await testWorld.clock.advance(touch)
  const order = world.view.orders.get(id)!
  assert.equal(order.status, 'filled')
  assert.ok(order.filledAt! >= touch && order.filledAt! < touch + 1000n)
  assert.ok(order.filledValue <= limit * amount('1'))
})

test('in New York hours an order after the close is queued, released at four and filled at the open', async () => {
  const testWorld = await openTestWorld({
    settings: { hours: 'nyse' },
    start: instant('2026-01-09T23:00:00Z'),
  })
  const { id } = await place(testWorld, 'MSFT', '2')
  const status = () => testWorld.world.view.orders.get(id)?.status
  assert.equal(status(), 'accepted')
  await testWorld.clock.advance(instant('2026-01-12T08:59:59Z'))
  assert.equal(status(), 'accepted')
  await testWorld.clock.advance(instant('2026-01-12T09:00:00Z'))
  assert.equal(status(), 'new')
  await testWorld.clock.advance(instant('2026-01-12T14:31:00Z'))
  assert.equal(status(), 'filled')
})

test('a day order that no quote reaches expires at the close', async () => {
  const testWorld = await openTestWorld()
  const { id, expiresAt } = await place(testWorld, 'AAPL', '1', '1')
  assert.equal(expiresAt, instant('2026-01-05T21:00:00Z'))
  await testWorld.clock.advance(expiresAt)
  assert.equal(testWorld.world.view.orders.get(id)?.status, 'expired')
  assert.equal(testWorld.world.view.holds.get(testWorld.account.id)?.money, 0n)
})

test('with displayed sizes two orders do not fill from the same shares', async () => {
  const testWorld = await openTestWorld({ settings: { fillSize: 'displayed' } })
  const events: Committed[] = []
  testWorld.world.publisher.listen((committed) => events.push(...committed))
  await place(testWorld, 'KO', '4000')
  const fills = events.flatMap(({ event }) => (event.kind === 'orderFilled' ? [event] : []))
  const first = fills[0]!
  assert.equal(first.quantity, first.quote.askSize)
  assert.equal(orderIn(testWorld).status, 'partiallyFilled')
  await advance(testWorld, 3600n)
  const later = events.flatMap(({ event }) => (event.kind === 'orderFilled' ? [event] : []))
  const byQuote = Map.groupBy(later, ({ quote }) => quote.at)
  for (const [, same] of byQuote) {
    const taken = same.reduce((sum, { quantity }) => sum + quantity, 0n)
    assert.ok(taken <= same[0]!.quote.askSize)
  }
  assert.ok(byQuote.size > 1)
})

test('fills settle on the next business day, in one posting for the account', async () => {
  const testWorld = await openTestWorld()
  const events: Committed[] = []
  testWorld.world.publisher.listen((committed) => events.push(...committed))
  await place(testWorld, 'AAPL', '3')
  await place(testWorld, 'MSFT', '2.5')
  await testWorld.clock.advance(instant('2026-01-06T09:00:00Z'))
  const settled = events.filter(({ event }) => event.kind === 'accountSettled')
  assert.equal(settled.length, 1)
  assert.equal(testWorld.world.view.unsettled.size, 0)
  assert.deepEqual(auditFaults(testWorld.world.view), [])
})

test('the same calls give the same ids and the same journal hash', async () => {
  const run = async () => {
    const testWorld = await openTestWorld()
    const orders = [await place(testWorld, 'AAPL', '3'), await place(testWorld, 'TSLA', '1', '5')]
    await advance(testWorld, 90_000n)
    return { ids: orders.map(({ id }) => id), head: testWorld.world.storage.journal.head() }
  }
  assert.deepEqual(await run(), await run())
})

test('closed orders leave memory once the query tables hold them, and their client order ids stay taken', async () => {
  const testWorld = await openTestWorld()
  const command = { ...buy(testWorld.account, 'AAPL', '1'), clientOrderId: 'once' as ClientOrderId }
  await decided(testWorld.world, command)
  const [id] = [...testWorld.world.view.orders.keys()]
  await testWorld.world.storage.queryTables.reached(testWorld.world.view.seq)
  await place(testWorld, 'AAPL', '1', '1')
  await testWorld.world.storage.queryTables.reached(testWorld.world.view.seq)
  await place(testWorld, 'AAPL', '1', '1')
  assert.ok(!testWorld.world.view.orders.has(id as OrderId))
  const again = await testWorld.world.storage.withEarlierOrder(
    testWorld.account.id,
    'once' as ClientOrderId,
    (earlier) => decided(testWorld.world, { ...command, ...definedFields({ earlier }) }),
  )
  assert.deepEqual(again, { ok: false, reason: { code: 'clientOrderIdTaken' } })
  assert.equal(
    (await testWorld.world.storage.queryTables.order(testWorld.account.id, id as OrderId))?.status,
    'filled',
  )
})

test('a full queue refuses a command before it is decided', async () => {
  const testWorld = await openTestWorld({ parts: { queueMax: 2 } })
  const { seq } = testWorld.world.view
  const results = await Promise.allSettled(
    Array.from({ length: 3 }, () =>
      testWorld.world.commands.submit(buy(testWorld.account, 'AAPL', '1', '1'), () => 0),
    ),
  )
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected'],
  )
  assert.ok((results[2] as PromiseRejectedResult).reason instanceof NotApplied)
  const accepted = [...testWorld.world.view.orders.values()].length
  assert.equal(accepted, 2)
  assert.ok(testWorld.world.view.seq > seq)
})
