import assert from 'node:assert/strict'
import test from 'node:test'
import { format, type Quantity } from '../../amount.ts'
import { TestWorld } from '../../testing/world.ts'
import type { WorldSettings } from '../../world.ts'
import type { OrderFilled } from '../events.ts'

const worldWith = (settings: Partial<WorldSettings>, ...lines: readonly string[]): TestWorld => {
  const world = new TestWorld(settings)
  for (const line of ['open A 1000000', 'quote AAPL 99 100 100 100', ...lines]) world.run(line)
  return world
}
const fillsOf = (world: TestWorld): readonly OrderFilled[] =>
  world.events.filter((event) => event.kind === 'orderFilled')
const sizes = (world: TestWorld): string[] => fillsOf(world).map(({ quantity }) => format(quantity))
const prices = (world: TestWorld): string[] => fillsOf(world).map(({ price }) => format(price))
const statusOf = (world: TestWorld): string => world.state.orders.get(world.orders.get('o1')!)!.status

const every = (seconds: bigint) => ({
  minNs: seconds * 1_000_000_000n,
  maxNs: seconds * 1_000_000_000n,
  shape: 'uniform' as const,
})
const pieces = { venue: { fillPieces: { min: 3, max: 3 }, fillInterval: every(10n) } }

test('an order fills in seeded pieces, and rests in between', () => {
  const world = worldWith(pieces)
  assert.equal(world.run('buy A o1 AAPL 100'), 'orderAccepted orderAcknowledged orderFilled')
  assert.equal(world.run('wait 9'), '')
  // A quote that reaches the order does not fill it while it rests.
  assert.equal(world.run('quote AAPL 98 99'), '')
  assert.equal(world.run('wait 1'), 'orderRequeued orderFilled')
  assert.equal(statusOf(world), 'partiallyFilled')
  assert.equal(world.run('wait 10'), 'orderRequeued orderFilled')
  assert.equal(statusOf(world), 'filled')
  const filled = sizes(world).map(Number)
  assert.equal(
    filled.reduce((sum, size) => sum + size, 0),
    100,
  )
  // Half to one and a half times an equal part, in whole shares.
  assert.ok(filled[0]! >= 16 && filled[0]! <= 50 && filled.every(Number.isInteger), `${filled}`)
  assert.deepEqual(prices(world), ['100', '99', '99'])
})

test('the number of pieces is between its bounds, and seeded', () => {
  const venue = { fillPieces: { min: 2, max: 5 }, fillInterval: every(1n) }
  const counts = Array.from({ length: 20 }, (_, n) => {
    const world = worldWith({ venue }, ...Array.from({ length: n }, (_, k) => `buy A x${k} AAPL 1 @1`))
    world.run('buy A o1 AAPL 1000')
    world.run('wait 10')
    assert.equal(statusOf(world), 'filled')
    return fillsOf(world).length
  })
  assert.deepEqual([...new Set(counts)].sort(), [2, 3, 4, 5])
})

for (const [line, outcome] of [
  ['buy A o1 AAPL 100 ioc', 'orderAccepted orderAcknowledged orderFilled orderCanceled'],
  ['buy A o1 AAPL 100 fok', 'orderAccepted orderAcknowledged orderFilled'],
  ['buy A o1 AAPL 1', 'orderAccepted orderAcknowledged orderFilled'],
] as const)
  test(`in pieces, ${line}: ${outcome}`, () => assert.equal(worldWith(pieces).run(line), outcome))

test('fractions and dollars fill in pieces too', () => {
  for (const size of ['2.5', '$1000']) {
    const world = worldWith(pieces, `buy A o1 AAPL ${size}`, 'wait 10', 'wait 10')
    assert.equal(statusOf(world), 'filled', size)
    assert.equal(fillsOf(world).length, 3)
  }
})

const share = { venue: { participation: 100_000 } }

test('all fills of a minute are at most a share of its volume', () => {
  const world = new TestWorld(share)
  world.volumes.set('AAPL', 1_005_000_000_000n as Quantity)
  for (const line of ['open A 1000000', 'open B 1000000', 'quote AAPL 99 100 100 100']) world.run(line)
  world.run('buy A o0 AAPL 20')
  world.run('buy A o1 AAPL 250')
  assert.equal(world.run('buy B o2 AAPL 10'), 'orderAccepted orderAcknowledged')
  for (let minute = 0; minute < 2; minute++) {
    world.run('wait 60')
    world.run('quote AAPL 99 100 100 100')
  }
  // 10 % of 1,005 are 100 whole shares a minute, by priority.
  assert.deepEqual(sizes(world), ['20', '80', '100', '70', '10'])
  assert.equal(fillsOf(world)[1]?.venue?.volume, 1_005_000_000_000n)
})

test('without a known volume, participation limits nothing', () => {
  const world = worldWith(share, 'buy A o1 AAPL 250')
  assert.deepEqual(sizes(world), ['250'])
})

test('fok needs the whole quantity within the share, and an auction is not limited', () => {
  const world = new TestWorld(share)
  world.volumes.set('AAPL', 1_000_000_000_000n as Quantity)
  for (const line of ['open A 1000000', 'quote AAPL 99 100 100 100']) world.run(line)
  assert.equal(world.run('buy A o1 AAPL 101 fok'), 'orderAccepted orderAcknowledged orderCanceled')
  assert.equal(world.run('buy A o2 AAPL 100 fok'), 'orderAccepted orderAcknowledged orderFilled')
})

const impact = { venue: { impactBasisPoints: 10 } }

for (const [line, price] of [
  // The displayed size is 100: each of it moves the price by 10 basis points.
  ['buy A o1 AAPL 200', '100.2'],
  ['buy A o1 AAPL 1', '100.01'],
  ['buy A o1 AAPL 200 @100.1', '100.1'],
  ['buy A o1 AAPL 200 @100.3', '100.2'],
  ['buy A o1 AAPL 30000 @200', '110'],
] as const)
  test(`impact of 10 basis points, ${line}: ${price}`, () => {
    const world = worldWith(impact, 'deposit A 9000000', line)
    assert.deepEqual(prices(world), [price])
    assert.equal(statusOf(world), 'filled')
  })

test('a sale gets less, and an amount of dollars is not exceeded', () => {
  const world = worldWith(impact, 'buy A o0 AAPL 300 @100', 'sell A o1 AAPL 250')
  // 99 less 10 basis points times 2.5, rounded down to the cent.
  assert.deepEqual(prices(world), ['100', '98.75'])
  const inDollars = worldWith(impact, 'buy A o1 AAPL $50000')
  const [fill] = fillsOf(inDollars)
  assert.ok(fill && fill.cash <= 50_000_000_000_000n && fill.cash > 49_900_000_000_000n, `${fill?.cash}`)
})
