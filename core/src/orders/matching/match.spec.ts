import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../../amount.ts'
import { TestWorld } from '../../testing/world.ts'
import type { WorldSettings } from '../../world.ts'
import { averagePrice } from '../order.ts'

const setup = ['open A 100000', 'open B 100000', 'open C 100000', 'quote AAPL 99 100']

/** Fills in their order: `o1 10@100`. */
function fills(settings: Partial<WorldSettings>, ...lines: readonly string[]): string {
  const world = new TestWorld(settings)
  for (const line of [...setup, ...lines]) world.run(line)
  const names = new Map([...world.orders].map(([name, id]) => [id, name]))
  return world.events
    .filter((event) => event.kind === 'orderFilled')
    .map(({ orderId, quantity, price }) => `${names.get(orderId)} ${format(quantity)}@${format(price)}`)
    .join(', ')
}

for (const [lines, then] of [
  [['buy A o1 AAPL 10'], 'o1 10@100'],
  [['buy A o1 AAPL 10', 'sell A o2 AAPL 4'], 'o1 10@100, o2 4@99'],
  [['buy A o1 AAPL 10 @100'], 'o1 10@100'],
  [['buy A o1 AAPL 10 @105'], 'o1 10@100'],
  [['buy A o1 AAPL 10 @99.99'], ''],
  [['buy A o1 AAPL 10 @99.99', 'quote AAPL 98 99.99'], 'o1 10@99.99'],
  [['buy A o1 AAPL 10 @99.99', 'quote AAPL 97 98'], 'o1 10@98'],
  [['buy A o1 AAPL 1', 'sell A o2 AAPL 1 @101', 'quote AAPL 100.99 102'], 'o1 1@100'],
  [['buy A o1 AAPL 1', 'sell A o2 AAPL 1 @101', 'quote AAPL 101 102'], 'o1 1@100, o2 1@101'],
  // Best price first, then by time, across regular and extended orders.
  [
    ['buy A a AAPL 1 @97', 'buy B b AAPL 1 @98', 'buy C c AAPL 1 @98', 'quote AAPL 90 95'],
    'b 1@95, c 1@95, a 1@95',
  ],
  [
    ['buy A a AAPL 1 @97', 'buy B b AAPL 1 @98 ext', 'buy C c AAPL 1 @98', 'quote AAPL 90 95'],
    'b 1@95, c 1@95, a 1@95',
  ],
  [['buy A a AAPL 1 @97', 'buy B b AAPL 1 @98', 'quote AAPL 90 97.5'], 'b 1@97.5'],
  [['buy A a AAPL 1 @97', 'cancel A a', 'quote AAPL 90 95'], ''],
] as const)
  test(`unlimited size: ${lines.join('; ')}: ${then || 'no fill'}`, () =>
    assert.equal(fills({}, ...lines), then))

for (const [lines, then] of [
  [['quote AAPL 99 100 5 3', 'buy A o1 AAPL 10'], 'o1 3@100'],
  [['quote AAPL 99 100 5 3', 'buy A o1 AAPL 2', 'buy B o2 AAPL 2'], 'o1 2@100, o2 1@100'],
  [['quote AAPL 99 100 5 3', 'buy A o1 AAPL 10', 'quote AAPL 99 101 5 4'], 'o1 3@100, o1 4@101'],
  [['quote AAPL 99 100 5 3', 'buy A o1 AAPL 3', 'sell A o2 AAPL 3'], 'o1 3@100, o2 3@99'],
  [['quote AAPL 99 100 2 3', 'buy A o1 AAPL 3', 'sell A o2 AAPL 3'], 'o1 3@100, o2 2@99'],
  [['quote AAPL 99 100 5 0.5', 'buy A o1 AAPL 0.75'], 'o1 0.5@100'],
] as const)
  test(`by displayed size: ${lines.join('; ')}: ${then}`, () =>
    assert.equal(fills({ fillSize: 'displayed' }, ...lines), then))

test('the rest of a partially filled order works on, and the average price covers all fills', () => {
  const world = new TestWorld({ fillSize: 'displayed' })
  for (const line of [...setup, 'quote AAPL 99 100 5 3', 'buy A o1 AAPL 10']) world.run(line)
  const order = () => world.state.orders.get(world.orders.get('o1')!)!
  assert.equal(order().status, 'partiallyFilled')
  world.run('quote AAPL 99 101 5 7')
  assert.equal(order().status, 'filled')
  assert.equal(format(averagePrice(order())!), '100.7')
})

test('the cash of a fill is in whole cents: buys round up, sells round down', () => {
  const world = new TestWorld()
  for (const line of ['open A 100', 'quote AAPL 0.3333 0.3333', 'buy A o1 AAPL 1', 'sell A o2 AAPL 1'])
    world.run(line)
  const cash = world.events.flatMap((event) => (event.kind === 'orderFilled' ? [format(event.cash)] : []))
  assert.deepEqual(cash, ['0.34', '0.33'])
})

test('a sale reduces the cost basis proportionally', () => {
  const world = new TestWorld()
  for (const line of [
    ...setup,
    'buy A o1 AAPL 3',
    'quote AAPL 199 200',
    'buy A o2 AAPL 1',
    'sell A o3 AAPL 1',
  ])
    world.run(line)
  const position = world.state.positions.get(world.accounts.get('A')!)!.get('AAPL' as never)!
  assert.equal(format(position.quantity), '3')
  assert.equal(format(position.costBasis), '375')
})

const nyse = (start: string, ...lines: readonly string[]) => {
  const world = new TestWorld({ hours: 'nyse' })
  for (const line of [`until ${start}`, ...setup, ...lines]) world.run(line)
  const { status } = world.state.orders.get(world.orders.get('o1')!)!
  return status
}

for (const [start, lines, then] of [
  ['2026-11-02T15:31:00Z', ['buy A o1 AAPL 1'], 'filled'],
  ['2026-11-02T22:00:00Z', ['buy A o1 AAPL 1'], 'accepted'],
  ['2026-11-02T22:00:00Z', ['buy A o1 AAPL 1 @100 ext'], 'filled'],
  ['2026-11-03T02:00:00Z', ['buy A o1 AAPL 1 @100 ext'], 'accepted'],
  ['2026-11-02T22:00:00Z', ['buy A o1 AAPL 1', 'until 2026-11-03T09:00:00Z'], 'new'],
  ['2026-11-02T22:00:00Z', ['buy A o1 AAPL 1', 'until 2026-11-03T14:29:00Z', 'quote AAPL 99 100'], 'new'],
  ['2026-11-02T22:00:00Z', ['buy A o1 AAPL 1', 'until 2026-11-03T14:30:00Z', 'quote AAPL 99 100'], 'filled'],
  ['2026-11-07T15:00:00Z', ['buy A o1 AAPL 1', 'until 2026-11-09T08:59:59Z'], 'accepted'],
  // GTC with extended hours: also in the next pre-market, but not at night.
  [
    '2026-11-02T22:00:00Z',
    ['buy A o1 AAPL 1 @90 ext gtc', 'until 2026-11-03T02:00:00Z', 'quote AAPL 89 90'],
    'new',
  ],
  [
    '2026-11-02T22:00:00Z',
    ['buy A o1 AAPL 1 @90 ext gtc', 'until 2026-11-03T10:00:00Z', 'quote AAPL 89 90'],
    'filled',
  ],
  [
    '2026-11-02T22:00:00Z',
    ['buy A o1 AAPL 1 @90 gtc', 'until 2026-11-03T10:00:00Z', 'quote AAPL 89 90'],
    'new',
  ],
] as const)
  test(`in nyse hours, from ${start}: ${lines.join('; ')}: ${then}`, () =>
    assert.equal(nyse(start, ...lines), then))

test('with latency an order is pending first, and can be canceled while pending', () => {
  const world = new TestWorld({ latencyNs: 5_000_000_000n })
  for (const line of setup) world.run(line)
  assert.equal(world.run('buy A o1 AAPL 1'), 'orderAccepted')
  assert.equal(world.run('wait 4'), '')
  assert.equal(world.run('wait 2'), 'orderAcknowledged orderFilled')
  world.run('buy A o2 AAPL 1')
  assert.equal(world.run('cancel A o2'), 'orderCanceled')
  assert.equal(world.run('wait 10'), '')
})
