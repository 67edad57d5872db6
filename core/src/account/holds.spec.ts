import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../amount.ts'
import type { Order } from '../orders/order.ts'
import { TestWorld } from '../testing/world.ts'
import { heldMoney, heldShares } from './holds.ts'

/** A buy of ten at 90, reserved at that. */
function plainOrder(): Order {
  const world = new TestWorld()
  for (const line of ['open A 10000', 'quote AAPL 99 100', 'buy A o1 AAPL 10 @90']) world.run(line)
  return [...world.state.orders.values()][0]!
}

const at = plainOrder().createdAt
const nine = (units: number) => (BigInt(units) * 1_000_000_000n) as never
const takeProfit = { class: 'bracket', role: 'takeProfit' } as const
const stopLoss = { class: 'bracket', role: 'stopLoss' } as const

const rows: readonly (readonly [name: string, given: Partial<Order>, money: string, shares: string])[] = [
  ['a buy that opens holds money', {}, '900', '0'],
  ['a short sale holds money', { side: 'sell', intent: 'sellToOpen' }, '900', '0'],
  ['a sale of shares holds them', { side: 'sell', intent: 'sellToClose' }, '0', '10'],
  ['a buy that covers a short holds its shares', { intent: 'buyToClose' }, '0', '10'],
  ['what is filled is held no more', { filledQuantity: nine(4) }, '540', '0'],
  ['what is filled of a sale is held no more', { intent: 'sellToClose', filledQuantity: nine(4) }, '0', '6'],
  ['an order that ended holds nothing', { status: 'canceled' }, '0', '0'],
  ['a sale that ended holds nothing', { status: 'replaced', intent: 'sellToClose' }, '0', '0'],
  ['dollars are held as they are', { notional: nine(100), quantity: nine(1) }, '100', '0'],
  [
    'of dollars what is not spent',
    { notional: nine(100), filledQuantity: nine(1), spent: nine(40) },
    '60',
    '0',
  ],
  [
    'a leg that waits for its parent holds nothing',
    { status: 'held', intent: 'sellToClose', group: takeProfit },
    '0',
    '0',
  ],
  ['a take-profit that works holds', { status: 'new', intent: 'sellToClose', group: takeProfit }, '0', '10'],
  [
    'an armed stop-loss leaves it to its sibling',
    { status: 'held', intent: 'sellToClose', group: stopLoss, trigger: { stop: nine(80), armedAt: at } },
    '0',
    '0',
  ],
  [
    'an elected stop-loss holds',
    {
      status: 'new',
      intent: 'sellToClose',
      group: stopLoss,
      trigger: { stop: nine(80), armedAt: at, electedAt: at },
    },
    '0',
    '10',
  ],
  [
    'a stop-loss alone holds nothing before its parent is filled',
    {
      status: 'held',
      intent: 'sellToClose',
      group: { class: 'oto', role: 'stopLoss' },
      trigger: { stop: nine(80) },
    },
    '0',
    '0',
  ],
  [
    'a stop-loss alone holds once it is armed',
    {
      status: 'held',
      intent: 'sellToClose',
      group: { class: 'oto', role: 'stopLoss' },
      trigger: { stop: nine(80), armedAt: at },
    },
    '0',
    '10',
  ],
]

for (const [name, given, money, shares] of rows)
  test(name, () => {
    const order = { ...plainOrder(), ...given }
    assert.deepEqual([format(heldMoney(order)), format(heldShares(order))], [money, shares])
  })
