import assert from 'node:assert/strict'
import test from 'node:test'
import { deterministicId, TestWorld } from '../../testing/world.ts'
import type { WorldSettings } from '../../world.ts'
import { drawDelay, drawMillionths } from './draw.ts'
import type { Venue } from './settings.ts'

const MS = 1_000_000n
const moment = { id: deterministicId } as never
const ids = Array.from({ length: 2_000 }, (_, n) => deterministicId('order', n, 0) as never)

const worldWith = (venue: Venue, settings: Partial<WorldSettings> = {}): TestWorld => {
  const world = new TestWorld({ ...settings, venue })
  for (const line of ['open A 100000', 'quote AAPL 99 100', 'trade AAPL 100']) world.run(line)
  return world
}
const orderOf = (world: TestWorld, name: string) => world.state.orders.get(world.orders.get(name)!)!

/** Number of seeded delays up to a part of the range from 100 to 1,100 ms, of 2,000. */
const upTo = (shape: 'uniform' | 'longTail', ms: bigint): number =>
  ids.filter(
    (id) => drawDelay(moment, id, 'latency', { minNs: 100n * MS, maxNs: 1_100n * MS, shape }) <= ms * MS,
  ).length

test('delays are within their bounds, and have their shape', () => {
  for (const shape of ['uniform', 'longTail'] as const) {
    assert.equal(upTo(shape, 99n), 0)
    assert.equal(upTo(shape, 1_100n), ids.length)
  }
  // uniform: half of them below the middle; long tail: half of them within a sixteenth of the range.
  assert.ok(Math.abs(upTo('uniform', 600n) - 1_000) < 100, `${upTo('uniform', 600n)}`)
  assert.ok(Math.abs(upTo('longTail', 162n) - 1_000) < 100, `${upTo('longTail', 162n)}`)
  assert.ok(upTo('longTail', 766n) < 1_900)
})

test('a share of a tenth is a tenth of all draws', () => {
  const drawn = ids.map((id) => drawMillionths(moment, id, 'reject'))
  const below = drawn.filter((value) => value < 100_000).length
  assert.ok(below > 150 && below < 250, `${below}`)
  assert.ok(drawn.every((value) => Number.isInteger(value) && value >= 0 && value < 1_000_000))
})

test('an order stays pending for its seeded latency, and the same seed gives the same latency', () => {
  const venue: Venue = { latency: { minNs: 1_000n * MS, maxNs: 60_000n * MS, shape: 'uniform' } }
  const due = () => {
    const world = worldWith(venue)
    world.run('buy A o1 AAPL 1')
    world.run('buy A o2 AAPL 1')
    const [first, second] = [orderOf(world, 'o1'), orderOf(world, 'o2')]
    assert.equal(first.status, 'pendingNew')
    assert.ok(first.dueAt >= first.createdAt + 1_000n * MS && first.dueAt <= first.createdAt + 60_000n * MS)
    assert.notEqual(first.dueAt - first.createdAt, second.dueAt - second.createdAt)
    world.run('wait 60')
    assert.equal(orderOf(world, 'o1').status, 'filled')
    return first.dueAt
  }
  assert.equal(due(), due())
})

test('a queued order draws its latency when it leaves for the market', () => {
  const latency = { minNs: 5_000n * MS, maxNs: 5_000n * MS, shape: 'uniform' } as const
  const world = worldWith({ latency }, { hours: 'nyse' })
  world.run('until 2026-11-02T22:00:00Z')
  world.run('buy A o1 AAPL 1')
  assert.equal(world.run('until 2026-11-03T09:00:01Z'), 'accountSettled orderReleased'.split(' ').at(-1))
  assert.equal(orderOf(world, 'o1').status, 'pendingNew')
  world.run('wait 5')
  assert.equal(orderOf(world, 'o1').status, 'new')
})

for (const [line, kinds] of [
  ['buy A o1 AAPL 1', 'orderAccepted orderRejected'],
  ['buy A o1 AAPL 1 @90', 'orderAccepted orderRejected'],
  ['buy A o1 AAPL 1 ioc', 'orderAccepted orderRejected'],
  [
    'buy A o1 AAPL 1 bracket take=110 loss=90',
    'orderAccepted orderAccepted orderAccepted orderRejected orderCanceled orderCanceled',
  ],
] as const)
  test(`rejected by the market: ${line}`, () => {
    const world = worldWith({ rejectShare: 1_000_000 })
    assert.equal(world.run(line), kinds)
    const { status, failedAt, updatedAt } = orderOf(world, 'o1')
    assert.deepEqual([status, failedAt], ['rejected', updatedAt])
    assert.equal(world.state.holds.get(world.accounts.get('A')!)?.money, 0n)
    const rejected = world.events.find((event) => event.kind === 'orderRejected')
    assert.ok(rejected && rejected.draw! < rejected.share!)
  })

test('a share of orders is rejected', () => {
  const world = worldWith({ rejectShare: 200_000 })
  for (let n = 0; n < 100; n++) world.run(`buy A o${n} AAPL 1 @1`)
  const rejected = [...world.state.orders.values()].filter(({ status }) => status === 'rejected').length
  assert.ok(rejected > 5 && rejected < 40, `${rejected}`)
})
