import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instant, Order, OrderId, PlaceOrder, Price, Ticker } from '@quipu/core'
import { encode, format, isOpen, SECOND } from '@quipu/core'
import { buy, decided, instant, openTestWorld, type TestWorld } from './testing/world.ts'

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
const traded = ({ world }: TestWorld): Price => world.market.pricesAt(world.now).trade(AAPL)!.price
const cent = (price: bigint): Price => (price - (price % 10_000_000n)) as Price

test('a stop is triggered by the first trade at its price or beyond, and filled at the quote of that moment', async () => {
  const made = await openTestWorld({ settings: { hours: 'nyse' } })
  const { world, clock } = made
  const stop = cent(traded(made) + 500_000_000n)
  const query = { symbol: AAPL, direction: 'rise', price: stop } as const
  const to = (world.now + DAY / 8n) as Instant
  const trade = await world.market.schedule.nextTrade({ ...query, from: (world.now + 1n) as Instant, to })
  assert.ok(trade, 'the price is reached')
  const id = await place(made, { type: 'stop', stop })
  await clock.advance((trade.at - 1n) as Instant)
  assert.equal(orderIn(made, id).status, 'new')
  await clock.advance(trade.at)
  const { status, trigger, filledValue } = orderIn(made, id)
  assert.equal(status, 'filled')
  assert.ok(trigger!.electedAt! >= trade.at && trigger!.electedAt! < trade.at + SECOND)
  assert.equal(filledValue / 1_000_000_000n, world.market.pricesAt(trade.at).quote(AAPL)!.ask)
  assert.deepEqual(made.failures, [])
})

test('a trailing stop follows every trade of the session', async () => {
  const made = await openTestWorld({ settings: { hours: 'nyse' } })
  const { world, clock } = made
  await place(made, {})
  const armed = world.now
  const id = await place(made, { side: 'sell', type: 'trailingStop', trailPrice: cent(traded(made) / 4n) })
  const start = traded(made)
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
  const { trigger, status } = orderIn(made, id)
  assert.equal(status, 'new')
  assert.equal(format(trigger!.highWater!), format(best))
  assert.equal(format(trigger!.stop), format(best - trigger!.trailPrice!))
  assert.deepEqual(made.failures, [])
})

test('an exit pair: one leg is filled, the other is canceled, and nothing is held', async () => {
  const made = await openTestWorld()
  const { world, clock } = made
  const ends: string[] = []
  world.listen((committed) => {
    for (const { order } of committed) if (order && !isOpen(order)) ends.push(order.status)
  })
  const price = traded(made)
  const at = (thousandths: bigint): Price => cent((price * thousandths) / 1000n)
  await place(made, {
    class: 'bracket',
    timeInForce: 'gtc',
    takeProfit: { limit: at(1010n) },
    stopLoss: { stop: at(990n) },
  })
  await clock.advance((world.now + 20n * DAY) as Instant)
  assert.deepEqual(ends.sort(), ['canceled', 'filled', 'filled'])
  assert.equal(world.view.positions.get(made.account.id)?.size ?? 0, 0)
  assert.equal(world.view.holds.get(made.account.id)!.shares.size, 0)
  assert.deepEqual(made.failures, [])
})

test('orders keep waiting after a restart; trades during the downtime trigger nothing', async () => {
  const made = await openTestWorld()
  const { world } = made
  const stop = cent((traded(made) * 1002n) / 1000n)
  const trade = await world.market.schedule.nextTrade({
    symbol: AAPL,
    direction: 'rise',
    price: stop,
    from: world.now,
    to: (world.now + 30n * DAY) as Instant,
  })
  assert.ok(trade)
  const id = await place(made, {
    type: 'stopLimit',
    stop,
    limit: 1_000_000_000n as Price,
    timeInForce: 'gtc',
  })
  const journal = await world.journal.fork()
  // The clock was past that trade when the world was reopened.
  const later = (trade.at + 1n) as Instant
  const again = await openTestWorld({ start: later, journal: async () => journal })
  assert.equal(orderIn(again, id).trigger!.electedAt, undefined)
  const next = await again.world.market.schedule.nextTrade({
    symbol: AAPL,
    direction: 'rise',
    price: stop,
    from: (again.world.now + 1n) as Instant,
    to: (later + 30n * DAY) as Instant,
  })
  await again.clock.advance(next!.at)
  const order = orderIn(again, id)
  assert.ok(order.trigger!.electedAt! >= next!.at && isOpen(order))
  assert.deepEqual(again.failures, [])
})

test('an opening order is filled by the opening print; one placed after the print waits for the next', async () => {
  const made = await openTestWorld({ start: instant('2026-01-05T14:00:00Z'), settings: { hours: 'nyse' } })
  const { world, clock } = made
  const first = await place(made, { timeInForce: 'opg' })
  const close = await place(made, { timeInForce: 'cls' })
  await clock.advance(instant('2026-01-05T14:32:00Z'))
  const [day] = await world.market.history.auctions({
    symbol: AAPL,
    from: '2026-01-05' as never,
    to: '2026-01-05' as never,
    now: world.now,
    sort: 'asc',
    limit: 1,
  })
  assert.equal(orderIn(made, first).status, 'filled')
  assert.equal(orderIn(made, first).filledValue / 1_000_000_000n, day!.open[0]!.price)
  assert.equal(orderIn(made, close).status, 'new')
  await clock.advance(instant('2026-01-06T02:00:00Z'))
  assert.equal(orderIn(made, close).status, 'filled')
  const next = await place(made, { timeInForce: 'opg' })
  assert.equal(orderIn(made, next).status, 'accepted')
  await clock.advance(instant('2026-01-06T14:31:30Z'))
  assert.equal(orderIn(made, next).status, 'filled')
  assert.deepEqual(made.failures, [])
})

test('the same calls in the same world give the same journal, whatever orders wait', async () => {
  const hashes: string[] = []
  for (let round = 0; round < 2; round++) {
    const made = await openTestWorld()
    const price = traded(made)
    for (const [n, thousandths] of [1001n, 1002n, 1003n, 1005n, 1010n].entries()) {
      const stop = cent((price * thousandths) / 1000n)
      await place(made, { type: 'stop', stop, timeInForce: n % 2 ? 'gtc' : 'day' })
    }
    await place(made, { type: 'trailingStop', trailPercent: 200_000_000n, timeInForce: 'gtc' })
    await place(made, { timeInForce: 'cls' })
    await made.clock.advance((made.world.now + 3n * DAY) as Instant)
    hashes.push(made.world.journal.head().hash)
    assert.deepEqual(made.failures, [])
  }
  assert.equal(hashes[0], hashes[1])
})
