import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instant, Order, OrderId, PlaceOrder, Price, Ticker } from '@quipu/core'
import { encode, format, isOpen, SECOND } from '@quipu/core'
import { buy, decided, instant, openTestWorld, type TestWorld } from '../testing/world.ts'

const AAPL = 'AAPL' as Ticker
const DAY = 86_400n * SECOND

async function place({ world, account }: TestWorld, more: Partial<PlaceOrder>): Promise<OrderId> {
  const decision = await decided(world, { ...buy(account, 'AAPL', '1'), ...more })
  assert.ok(decision.ok, decision.ok ? '' : encode(decision.reason))
  const [event] = decision.value
  assert.ok(event?.kind === 'orderAccepted')
  return event.order.id
}

const orderIn = ({ world }: TestWorld, id: OrderId): Order => world.view.orders.get(id)!
const traded = ({ world }: TestWorld): Price => world.market.pricesAt(world.engine.now).trade(AAPL)!.price
const cent = (price: bigint): Price => (price - (price % 10_000_000n)) as Price

test('a stop is triggered by the first trade at its price or beyond, and filled at the quote of that moment', async () => {
  const testWorld = await openTestWorld({ settings: { hours: 'nyse' } })
  const { world, clock } = testWorld
  const stop = cent(traded(testWorld) + 500_000_000n)
  const query = { symbol: AAPL, direction: 'rise', price: stop } as const
  const to = (world.engine.now + DAY / 8n) as Instant
  const trade = await world.market.schedule.nextTrade({
    ...query,
    from: (world.engine.now + 1n) as Instant,
    to,
  })
  assert.ok(trade, 'the price is reached')
  const id = await place(testWorld, { type: 'stop', stop })
  await clock.advance((trade.at - 1n) as Instant)
  assert.equal(orderIn(testWorld, id).status, 'new')
  await clock.advance(trade.at)
  const { status, trigger, filledValue } = orderIn(testWorld, id)
  assert.equal(status, 'filled')
  assert.ok(trigger!.electedAt! >= trade.at && trigger!.electedAt! < trade.at + SECOND)
  assert.equal(filledValue / 1_000_000_000n, world.market.pricesAt(trade.at).quote(AAPL)!.ask)
  assert.deepEqual(testWorld.failures, [])
})

test('a trailing stop follows every trade of the session', async () => {
  const testWorld = await openTestWorld({ settings: { hours: 'nyse' } })
  const { world, clock } = testWorld
  await place(testWorld, {})
  const armed = world.engine.now
  const id = await place(testWorld, {
    side: 'sell',
    type: 'trailingStop',
    trailPrice: cent(traded(testWorld) / 4n),
  })
  const start = traded(testWorld)
  const end = instant('2026-01-05T20:59:00Z')
  await clock.advance(end)
  const trades = await world.market.history.trades({
    symbol: AAPL,
    from: armed,
    to: end,
    now: end,
    sort: 'asc',
    limit: 1_000_000,
  })
  const best = trades.reduce((high, { price }) => (price > high ? price : high), start)
  const { trigger, status } = orderIn(testWorld, id)
  assert.equal(status, 'new')
  assert.equal(format(trigger!.highWater!), format(best))
  assert.equal(format(trigger!.stop), format(best - trigger!.trailPrice!))
  assert.deepEqual(testWorld.failures, [])
})

test('an exit pair: one leg is filled, the other is canceled, and nothing is held', async () => {
  const testWorld = await openTestWorld()
  const { world, clock } = testWorld
  const ends: string[] = []
  world.publisher.listen((committed) => {
    for (const { order } of committed) if (order && !isOpen(order)) ends.push(order.status)
  })
  const price = traded(testWorld)
  const at = (thousandths: bigint): Price => cent((price * thousandths) / 1000n)
  await place(testWorld, {
    class: 'bracket',
    timeInForce: 'gtc',
    takeProfit: { limit: at(1010n) },
    stopLoss: { stop: at(990n) },
  })
  await clock.advance((world.engine.now + 20n * DAY) as Instant)
  assert.deepEqual(ends.sort(), ['canceled', 'filled', 'filled'])
  assert.equal(world.view.positions.get(testWorld.account.id)?.size ?? 0, 0)
  assert.equal(world.view.holds.get(testWorld.account.id)!.shares.size, 0)
  assert.deepEqual(testWorld.failures, [])
})

test('orders keep waiting after a restart; trades during the downtime trigger nothing', async () => {
  const testWorld = await openTestWorld()
  const { world } = testWorld
  const stop = cent((traded(testWorld) * 1002n) / 1000n)
  const trade = await world.market.schedule.nextTrade({
    symbol: AAPL,
    direction: 'rise',
    price: stop,
    from: world.engine.now,
    to: (world.engine.now + 30n * DAY) as Instant,
  })
  assert.ok(trade)
  const id = await place(testWorld, {
    type: 'stopLimit',
    stop,
    limit: 1_000_000_000n as Price,
    timeInForce: 'gtc',
  })
  const journal = await world.storage.journal.fork()
  // The clock was past that trade when the world was reopened.
  const later = (trade.at + 1n) as Instant
  const again = await openTestWorld({ start: later, journal: async () => journal })
  assert.equal(orderIn(again, id).trigger!.electedAt, undefined)
  const next = await again.world.market.schedule.nextTrade({
    symbol: AAPL,
    direction: 'rise',
    price: stop,
    from: (again.world.engine.now + 1n) as Instant,
    to: (later + 30n * DAY) as Instant,
  })
  await again.clock.advance(next!.at)
  const order = orderIn(again, id)
  assert.ok(order.trigger!.electedAt! >= next!.at && isOpen(order))
  assert.deepEqual(again.failures, [])
})

test('an opening order is filled by the opening print; one placed after the print waits for the next', async () => {
  const testWorld = await openTestWorld({
    start: instant('2026-01-05T14:00:00Z'),
    settings: { hours: 'nyse' },
  })
  const { world, clock } = testWorld
  const first = await place(testWorld, { timeInForce: 'opg' })
  const close = await place(testWorld, { timeInForce: 'cls' })
  await clock.advance(instant('2026-01-05T14:32:00Z'))
  const [day] = await world.market.history.auctions({
    symbol: AAPL,
    from: '2026-01-05' as never,
    to: '2026-01-05' as never,
    now: world.engine.now,
    sort: 'asc',
    limit: 1,
  })
  assert.equal(orderIn(testWorld, first).status, 'filled')
  assert.equal(orderIn(testWorld, first).filledValue / 1_000_000_000n, day!.open[0]!.price)
  assert.equal(orderIn(testWorld, close).status, 'new')
  await clock.advance(instant('2026-01-06T02:00:00Z'))
  assert.equal(orderIn(testWorld, close).status, 'filled')
  const next = await place(testWorld, { timeInForce: 'opg' })
  assert.equal(orderIn(testWorld, next).status, 'accepted')
  await clock.advance(instant('2026-01-06T14:31:30Z'))
  assert.equal(orderIn(testWorld, next).status, 'filled')
  assert.deepEqual(testWorld.failures, [])
})

test('the same calls in the same world give the same journal, whatever orders wait', async () => {
  const hashes: string[] = []
  for (let round = 0; round < 2; round++) {
    const testWorld = await openTestWorld()
    const price = traded(testWorld)
    for (const [n, thousandths] of [1001n, 1002n, 1003n, 1005n, 1010n].entries()) {
      const stop = cent((price * thousandths) / 1000n)
      await place(testWorld, { type: 'stop', stop, timeInForce: n % 2 ? 'gtc' : 'day' })
    }
    await place(testWorld, { type: 'trailingStop', trailPercent: 200_000_000n, timeInForce: 'gtc' })
    await place(testWorld, { timeInForce: 'cls' })
    await testWorld.clock.advance((testWorld.world.engine.now + 3n * DAY) as Instant)
    hashes.push(testWorld.world.storage.journal.head().hash)
    assert.deepEqual(testWorld.failures, [])
  }
  assert.equal(hashes[0], hashes[1])
})
