import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../../amount.ts'
import { TestWorld } from '../../testing/world.ts'
import type { WorldSettings } from '../../world.ts'

const scene = ['open A 100000', 'quote AAPL 99 100', 'trade AAPL 100']

/** A world in which these lines were told, and what came of the last one. */
function told(
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
  // A stop waits for a trade, whatever the quote.
  [{}, ['buy A o1 AAPL 1', 'sell A o2 AAPL 1 stop=95', 'quote AAPL 90 91'], ''],
  [
    {},
    ['buy A o1 AAPL 1', 'sell A o2 AAPL 1 stop=95', 'quote AAPL 90 91', 'trade AAPL 95'],
    'orderElected orderFilled',
  ],
  [{}, ['buy A o1 AAPL 1', 'sell A o2 AAPL 1 stop=95', 'trade AAPL 95.01'], ''],
  [{}, ['buy A o2 AAPL 1 stop=105', 'trade AAPL 104.99'], ''],
  [{}, ['buy A o2 AAPL 1 stop=105', 'quote AAPL 104 105', 'trade AAPL 105'], 'orderElected orderFilled'],
  // A buy stop pays at most 2.5 % more, or 4 % below fifty dollars; a sell stop takes what it gets.
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
  // With a limit it works by that limit once it is elected.
  [{}, ['buy A o2 AAPL 1 stop=105 @106', 'quote AAPL 106 107', 'trade AAPL 105'], 'orderElected'],
  [
    {},
    ['buy A o2 AAPL 1 stop=105 @106', 'quote AAPL 106 107', 'trade AAPL 105', 'quote AAPL 103 104'],
    'orderFilled',
  ],
  [{}, ['buy A o2 AAPL 1 stop=105 @106', 'quote AAPL 103 104'], ''],
  // It can be canceled like any other.
  [{}, ['buy A o2 AAPL 1 stop=105', 'cancel A o2', 'trade AAPL 106'], ''],
  // Two are elected in the order in which they came.
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
  // Trades outside the session elect nobody in New York's hours.
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
  test(`${settings === NYSE ? "in New York's hours: " : ''}${lines.join('; ')}: ${then || 'nothing'}`, () =>
    assert.equal(told(settings, [...scene, ...lines]).last, then))

test('a trade from before a stop was armed does not elect it', () => {
  const { world } = told({ latencyNs: 5_000_000_000n }, scene)
  world.run('buy A o1 AAPL 1 stop=105')
  assert.equal(world.run('trade AAPL 106'), '')
  // The trade stands, and is older than the moment at which the market had the order.
  assert.equal(world.run('wait 10'), 'orderWorked')
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
    const { world } = told({}, [...scene, 'buy A o1 AAPL 1', ...lines])
    const { trigger } = orderIn(world, lines[0].startsWith('buy') ? 'o3' : 'o2')
    assert.equal(format(trigger!.stop), stop)
    assert.equal(format(trigger!.highWater!), best)
  })

test('a trailing stop is elected where it has come to', () => {
  const { world } = told({}, [...scene, 'buy A o1 AAPL 1', 'sell A o2 AAPL 1 trail=2', 'trade AAPL 103'])
  assert.equal(world.run('trade AAPL 101.01'), '')
  assert.equal(world.run('trade AAPL 101'), 'orderElected orderFilled')
})
