import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../amount.ts'
import { TestWorld } from '../testing/world.ts'
import type { WorldSettings } from '../world.ts'
import { hasOpenOrders, openOrdersOf } from './open-orders.ts'

const setup = ['open A 100000', 'quote AAPL 99 100', 'trade AAPL 100']

/** Status, filled quantity and quantity of each order after some lines: `o1 filled 10/10, o1.take new 0/10`. */
function statuses(settings: Partial<WorldSettings>, lines: readonly string[]): string {
  const world = new TestWorld(settings)
  for (const line of [...setup, ...lines]) world.run(line)
  return [...world.orders]
    .map(([name, id]) => {
      const { status, filledQuantity, quantity } = world.state.orders.get(id)!
      return `${name} ${status} ${format(filledQuantity)}/${format(quantity)}`
    })
    .join(', ')
}

const bracket = 'buy A o1 AAPL 10 @100 bracket take=110 loss=95'
const displayed = { fillSize: 'displayed' } as const

for (const [lines, then] of [
  // A bracket: exits are held until the entry is filled; then the take-profit works and the stop-loss waits.
  [['quote AAPL 104 105', bracket], 'o1 new 0/10, o1.take held 0/10, o1.loss held 0/10'],
  [[bracket], 'o1 filled 10/10, o1.take new 0/10, o1.loss held 0/10'],
  [[bracket, 'quote AAPL 110 111'], 'o1 filled 10/10, o1.take filled 10/10, o1.loss canceled 0/10'],
  [
    [bracket, 'quote AAPL 94 95', 'trade AAPL 95'],
    'o1 filled 10/10, o1.take canceled 0/10, o1.loss filled 10/10',
  ],
  [[bracket, 'cancel A o1.take'], 'o1 filled 10/10, o1.take canceled 0/10, o1.loss canceled 0/10'],
  [[bracket, 'cancel A o1.loss'], 'o1 filled 10/10, o1.take canceled 0/10, o1.loss canceled 0/10'],
  [
    ['quote AAPL 104 105', bracket, 'cancel A o1'],
    'o1 canceled 0/10, o1.take canceled 0/10, o1.loss canceled 0/10',
  ],
  [
    ['quote AAPL 104 105', bracket, 'cancel A o1.loss'],
    'o1 canceled 0/10, o1.take canceled 0/10, o1.loss canceled 0/10',
  ],
  [
    ['quote AAPL 104 105', bracket, 'until 2026-11-02T21:00:00Z'],
    'o1 expired 0/10, o1.take canceled 0/10, o1.loss canceled 0/10',
  ],
  // An elected stop-loss with a limit works as a limit order; the take-profit is canceled.
  [
    ['buy A o1 AAPL 10 bracket take=110 loss=95 losslimit=94.5', 'quote AAPL 90 91', 'trade AAPL 93'],
    'o1 filled 10/10, o1.take canceled 0/10, o1.loss new 0/10',
  ],
  // A short entry: the rules are mirrored.
  [
    ['sell A o1 AAPL 10 bracket take=90 loss=105', 'quote AAPL 89 90'],
    'o1 filled 10/10, o1.take filled 10/10, o1.loss canceled 0/10',
  ],
  [
    ['sell A o1 AAPL 10 bracket take=90 loss=105', 'quote AAPL 104 105', 'trade AAPL 105'],
    'o1 filled 10/10, o1.take canceled 0/10, o1.loss filled 10/10',
  ],
  // OTO.
  [['buy A o1 AAPL 10 oto take=110'], 'o1 filled 10/10, o1.take new 0/10'],
  [['buy A o1 AAPL 10 oto take=110', 'quote AAPL 110 111'], 'o1 filled 10/10, o1.take filled 10/10'],
  [['buy A o1 AAPL 10 oto loss=95'], 'o1 filled 10/10, o1.loss held 0/10'],
  [
    ['buy A o1 AAPL 10 oto loss=95', 'quote AAPL 94 95', 'trade AAPL 94'],
    'o1 filled 10/10, o1.loss filled 10/10',
  ],
  // OCO.
  [
    ['buy A b AAPL 10', 'sell A o1 AAPL 10 @110 oco take=110 loss=95'],
    'b filled 10/10, o1 new 0/10, o1.loss held 0/10',
  ],
  [
    ['buy A b AAPL 10', 'sell A o1 AAPL 10 @110 oco take=110 loss=95', 'quote AAPL 110 111'],
    'b filled 10/10, o1 filled 10/10, o1.loss canceled 0/10',
  ],
  [
    ['buy A b AAPL 10', 'sell A o1 AAPL 10 @110 oco take=110 loss=95', 'quote AAPL 94 96', 'trade AAPL 95'],
    'b filled 10/10, o1 canceled 0/10, o1.loss filled 10/10',
  ],
] as const)
  test(`${lines.join('; ')}: ${then}`, () => assert.equal(statuses({}, lines), then))

for (const [lines, then] of [
  // A partially filled entry: its legs stay held, and are canceled with it.
  [['quote AAPL 99 100 5 4', bracket], 'o1 partiallyFilled 4/10, o1.take held 0/10, o1.loss held 0/10'],
  [
    ['quote AAPL 99 100 5 4', bracket, 'quote AAPL 99 100 5 6'],
    'o1 filled 10/10, o1.take new 0/10, o1.loss held 0/10',
  ],
  [
    ['quote AAPL 99 100 5 4', bracket, 'cancel A o1'],
    'o1 canceled 4/10, o1.take canceled 0/10, o1.loss canceled 0/10',
  ],
  // Shares sold before the entry is completely filled reduce the exit.
  [
    ['quote AAPL 99 100 5 4', 'buy A o1 AAPL 10 oto take=110', 'sell A s AAPL 3', 'quote AAPL 99 100 9 9'],
    'o1 filled 10/10, o1.take new 0/7, s filled 3/3',
  ],
  [
    [
      'quote AAPL 99 100 5 4',
      'buy A o1 AAPL 10 oto loss=95',
      'sell A s AAPL 4 @120',
      'quote AAPL 99 100 9 9',
    ],
    'o1 filled 10/10, o1.loss held 0/6, s new 0/4',
  ],
  // The stop-loss has the remaining size of the take-profit.
  [
    ['quote AAPL 99 100 5 10', bracket, 'quote AAPL 110 111 3 3'],
    'o1 filled 10/10, o1.take partiallyFilled 3/10, o1.loss held 0/7',
  ],
  [
    ['quote AAPL 99 100 5 10', bracket, 'quote AAPL 110 111 3 3', 'quote AAPL 90 91 20 20', 'trade AAPL 90'],
    'o1 filled 10/10, o1.take canceled 3/10, o1.loss filled 7/7',
  ],
] as const)
  test(`by displayed size: ${lines.join('; ')}: ${then}`, () =>
    assert.equal(statuses(displayed, lines), then))

test('an ended group is removed from the index', () => {
  const world = new TestWorld({})
  for (const line of [...setup, bracket]) world.run(line)
  assert.equal(world.state.groups.size, 1)
  assert.equal(world.run('quote AAPL 110 111'), 'orderFilled orderCanceled')
  assert.equal(world.state.groups.size, 0)
  assert.deepEqual([...openOrdersOf(world.state, world.accounts.get('A')!)], [])
  assert.equal(hasOpenOrders(world.state, world.accounts.get('A')!), false)
})

test('the stop-loss and the take-profit never both sell the position', () => {
  const world = new TestWorld({})
  for (const line of [...setup, bracket, 'quote AAPL 94 95', 'trade AAPL 95', 'quote AAPL 120 121'])
    world.run(line)
  assert.equal(world.state.positions.get(world.accounts.get('A')!)?.size ?? 0, 0)
})
