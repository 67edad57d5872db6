import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../amount.ts'
import { TestWorld } from '../testing/world.ts'
import type { WorldSettings } from '../world.ts'
import { hasOpenOrders, openOrdersOf } from './open-orders.ts'

const scene = ['open A 100000', 'quote AAPL 99 100', 'trade AAPL 100']

/** How each order stands after some lines: `o1 filled 10, o1.take new 0 of 10`. */
function standing(settings: Partial<WorldSettings>, lines: readonly string[]): string {
  const world = new TestWorld(settings)
  for (const line of [...scene, ...lines]) world.run(line)
  return [...world.orders]
    .map(([name, id]) => {
      const { status, filledQuantity, quantity } = world.state.orders.get(id)!
      return `${name} ${status} ${format(filledQuantity)}/${format(quantity)}`
    })
    .join(', ')
}

const bracket = 'buy A o1 AAPL 10 @100 bracket take=110 loss=95'
const shown = { fillSize: 'displayed' } as const

for (const [lines, then] of [
  // A bracket: held until the entry is filled whole, then one works and the other waits.
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
  // A stop-loss with a limit rests by it once it is elected; the other exit is gone by then.
  [
    ['buy A o1 AAPL 10 bracket take=110 loss=95 losslimit=94.5', 'quote AAPL 90 91', 'trade AAPL 93'],
    'o1 filled 10/10, o1.take canceled 0/10, o1.loss new 0/10',
  ],
  // Short, it is all mirrored.
  [
    ['sell A o1 AAPL 10 bracket take=90 loss=105', 'quote AAPL 89 90'],
    'o1 filled 10/10, o1.take filled 10/10, o1.loss canceled 0/10',
  ],
  [
    ['sell A o1 AAPL 10 bracket take=90 loss=105', 'quote AAPL 104 105', 'trade AAPL 105'],
    'o1 filled 10/10, o1.take canceled 0/10, o1.loss filled 10/10',
  ],
  // One triggers the other.
  [['buy A o1 AAPL 10 oto take=110'], 'o1 filled 10/10, o1.take new 0/10'],
  [['buy A o1 AAPL 10 oto take=110', 'quote AAPL 110 111'], 'o1 filled 10/10, o1.take filled 10/10'],
  [['buy A o1 AAPL 10 oto loss=95'], 'o1 filled 10/10, o1.loss held 0/10'],
  [
    ['buy A o1 AAPL 10 oto loss=95', 'quote AAPL 94 95', 'trade AAPL 94'],
    'o1 filled 10/10, o1.loss filled 10/10',
  ],
  // One cancels the other.
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
  test(`${lines.join('; ')}: ${then}`, () => assert.equal(standing({}, lines), then))

for (const [lines, then] of [
  // The entry is filled in part: its legs still wait, and go with it.
  [['quote AAPL 99 100 5 4', bracket], 'o1 partiallyFilled 4/10, o1.take held 0/10, o1.loss held 0/10'],
  [
    ['quote AAPL 99 100 5 4', bracket, 'quote AAPL 99 100 5 6'],
    'o1 filled 10/10, o1.take new 0/10, o1.loss held 0/10',
  ],
  [
    ['quote AAPL 99 100 5 4', bracket, 'cancel A o1'],
    'o1 canceled 4/10, o1.take canceled 0/10, o1.loss canceled 0/10',
  ],
  // What was sold before the entry was filled whole is no longer there to be sold.
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
  // The stop-loss is as large as what the take-profit leaves.
  [
    ['quote AAPL 99 100 5 10', bracket, 'quote AAPL 110 111 3 3'],
    'o1 filled 10/10, o1.take partiallyFilled 3/10, o1.loss held 0/7',
  ],
  [
    ['quote AAPL 99 100 5 10', bracket, 'quote AAPL 110 111 3 3', 'quote AAPL 90 91 20 20', 'trade AAPL 90'],
    'o1 filled 10/10, o1.take canceled 3/10, o1.loss filled 7/7',
  ],
] as const)
  test(`by displayed size: ${lines.join('; ')}: ${then}`, () => assert.equal(standing(shown, lines), then))

test('a group leaves no trace when all of it has ended', () => {
  const world = new TestWorld({})
  for (const line of [...scene, bracket]) world.run(line)
  assert.equal(world.state.groups.size, 1)
  assert.equal(world.run('quote AAPL 110 111'), 'orderFilled orderCanceled')
  assert.equal(world.state.groups.size, 0)
  assert.deepEqual([...openOrdersOf(world.state, world.accounts.get('A')!)], [])
  assert.equal(hasOpenOrders(world.state, world.accounts.get('A')!), false)
})

test('who is sold out by the stop-loss cannot be sold out again by the take-profit', () => {
  const world = new TestWorld({})
  for (const line of [...scene, bracket, 'quote AAPL 94 95', 'trade AAPL 95', 'quote AAPL 120 121'])
    world.run(line)
  assert.equal(world.state.positions.get(world.accounts.get('A')!)?.size ?? 0, 0)
})
