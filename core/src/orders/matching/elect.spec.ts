import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../../amount.ts'
import { TestWorld } from '../../testing/world.ts'
import type { WorldSettings } from '../../world.ts'

const setup = ['open A 100000', 'quote AAPL 99 100', 'trade AAPL 100']

/** A world after some lines, and the outcome of the last line. */
function worldAfter(
  settings: Partial<WorldSettings>,
  lines: readonly string[],
): { world: TestWorld; last: string } {
  const world = new TestWorld(settings)
  let last = ''
  for (const line of lines) last = world.run(line)
  return { world, last }
}

const orderIn = (world: TestWorld, name: string) => world.state.orders.get(world.orders.get(name)!)!

const NYSE = { hours: 'nyse' } as const

for (const [settings, lines, then] of [
  // A stop waits for a trade; quotes do not elect it.
  [{}, ['buy A o1 AAPL 1', 'sell A o2 AAPL 1 stop=95', 'quote AAPL 90 91'], ''],
  [
    {},
    ['buy A o1 AAPL 1', 'sell A o2 AAPL 1 stop=95', 'quote AAPL 90 91', 'trade AAPL 95'],
    'orderElected orderFilled',
  ],
  [{}, ['buy A o1 AAPL 1', 'sell A o2 AAPL 1 stop=95', 'trade AAPL 95.01'], ''],
  [{}, ['buy A o2 AAPL 1 stop=105', 'trade AAPL 104.99'], ''],
  [{}, ['buy A o2 AAPL 1 stop=105', 'quote AAPL 104 105', 'trade AAPL 105'], 'orderElected orderFilled'],
  // A buy stop pays at most 2.5 % more, or 4 % below fifty dollars; a sell stop sells at any price.
  [{}, ['buy A o2 AAPL 1 stop=105', 'quote AAPL 107 107.63', 'trade AAPL 106'], 'orderElected'],
  [{}, ['buy A o2 AAPL 1 stop=105', 'quote AAPL 107 107.62', 'trade AAPL 106'], 'orderElected orderFilled'],
  [
    {},
    ['buy A o2 AAPL 1 stop=105', 'quote AAPL 107 107.63', 'trade AAPL 106', 'quote AAPL 107 107.62'],
    'orderFilled',
  ],
  [
    {},
    ['quote AAPL 39 40', 'trade AAPL 40', 'buy A o2 AAPL 1 stop=41', 'quote AAPL 42 42.65', 'trade AAPL 42'],
    'orderElected',
  ],
  [
    {},
    ['quote AAPL 39 40', 'trade AAPL 40', 'buy A o2 AAPL 1 stop=41', 'quote AAPL 42 42.64', 'trade AAPL 42'],
    'orderElected orderFilled',
  ],
  [
    {},
    ['buy A o1 AAPL 1', 'sell A o2 AAPL 1 stop=95', 'quote AAPL 50 51', 'trade AAPL 60'],
    'orderElected orderFilled',
  ],
  // An elected stop-limit order works as a limit order.
  [{}, ['buy A o2 AAPL 1 stop=105 @106', 'quote AAPL 106 107', 'trade AAPL 105'], 'orderElected'],
  [
    {},
    ['buy A o2 AAPL 1 stop=105 @106', 'quote AAPL 106 107', 'trade AAPL 105', 'quote AAPL 103 104'],
    'orderFilled',
  ],
  [{}, ['buy A o2 AAPL 1 stop=105 @106', 'quote AAPL 103 104'], ''],
  // A waiting stop can be canceled.
  [{}, ['buy A o2 AAPL 1 stop=105', 'cancel A o2', 'trade AAPL 106'], ''],
  // Stops are elected by age.
  [
    {},
    ['buy A o1 AAPL 1 stop=105', 'buy A o2 AAPL 1 stop=104', 'quote AAPL 110 111', 'trade AAPL 106'],
    'orderElected orderElected',
  ],
  [
    {},
    [
      'buy A o1 AAPL 1 stop=105',
      'buy A o2 AAPL 1 stop=104',
      'quote AAPL 110 111',
      'trade AAPL 106',
      'quote AAPL 100 101',
    ],
    'orderFilled orderFilled',
  ],
  // In `nyse` hours, trades outside the session elect no order.
  [NYSE, ['buy A o2 AAPL 1 stop=105 gtc', 'until 2026-11-02T21:30:00Z', 'trade AAPL 106'], ''],
  [
    NYSE,
    [
      'buy A o2 AAPL 1 stop=105 gtc',
      'until 2026-11-03T14:00:00Z',
      'trade AAPL 106',
      'until 2026-11-03T14:30:00Z',
    ],
    '',
  ],
  [
    NYSE,
    ['buy A o2 AAPL 1 stop=105 gtc', 'until 2026-11-03T14:31:00Z', 'quote AAPL 105 106', 'trade AAPL 106'],
    'orderElected orderFilled',
  ],
] as const)
  test(`${settings === NYSE ? 'in nyse hours: ' : ''}${lines.join('; ')}: ${then || 'nothing'}`, () =>
    assert.equal(worldAfter(settings, [...setup, ...lines]).last, then))

test('a trade from before a stop was armed does not elect it', () => {
  const { world } = worldAfter({ latencyNs: 5_000_000_000n }, setup)
  world.run('buy A o1 AAPL 1 stop=105')
  assert.equal(world.run('trade AAPL 106'), '')
  // The last trade is older than the arrival of the order.
  assert.equal(world.run('wait 10'), 'orderAcknowledged')
  world.submit({ kind: 'observeTrade', symbol: 'AAPL' as never })
  assert.equal(orderIn(world, 'o1').trigger?.electedAt, undefined)
  assert.equal(world.run('trade AAPL 106'), 'orderElected orderFilled')
})

for (const [lines, stop, best] of [
  [['sell A o2 AAPL 1 trail=2'], '98', '100'],
  [['sell A o2 AAPL 1 trail=2', 'trade AAPL 103'], '101', '103'],
  [['sell A o2 AAPL 1 trail=2', 'trade AAPL 103', 'trade AAPL 102'], '101', '103'],
  [['sell A o2 AAPL 1 trail%=1', 'trade AAPL 110'], '108.9', '110'],
  [['buy A o3 AAPL 1 trail=2', 'trade AAPL 97'], '99', '97'],
] as const)
  test(`${lines.join('; ')}: stop ${stop}, best ${best}`, () => {
    const { world } = worldAfter({}, [...setup, 'buy A o1 AAPL 1', ...lines])
    const { trigger } = orderIn(world, lines[0].startsWith('buy') ? 'o3' : 'o2')
    assert.equal(format(trigger!.stop), stop)
    assert.equal(format(trigger!.highWater!), best)
  })

test('a trailing stop is elected at its current stop price', () => {
  const { world } = worldAfter({}, [
    ...setup,
    'buy A o1 AAPL 1',
    'sell A o2 AAPL 1 trail=2',
    'trade AAPL 103',
  ])
  assert.equal(world.run('trade AAPL 101.01'), '')
  assert.equal(world.run('trade AAPL 101'), 'orderElected orderFilled')
})
