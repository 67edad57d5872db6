import assert from 'node:assert/strict'
import test from 'node:test'
import { format } from '../amount.ts'
import type { Order } from '../orders/order.ts'
import { TestWorld } from '../testing/world.ts'
import { heldMoney, heldShares } from './holds.ts'

/** A buy of 10 at 90. */
function plainOrder(): Order {
  const world = new TestWorld()
  for (const line of ['open A 10000', 'quote AAPL 99 100', 'buy A o1 AAPL 10 @90']) world.run(line)
  return [...world.state.orders.values()][0]!
}

const at = plainOrder().createdAt
const whole = (units: number) => (BigInt(units) * 1_000_000_000n) as never
const takeProfit = { class: 'bracket', role: 'takeProfit' } as const
const stopLoss = { class: 'bracket', role: 'stopLoss' } as const

const rows: readonly (readonly [name: string, changes: Partial<Order>, money: string, shares: string])[] = [
  ['a buy that opens holds money', {}, '900', '0'],
  ['a short sale holds money', { side: 'sell', intent: 'sellToOpen' }, '900', '0'],
  ['a sale of shares holds them', { side: 'sell', intent: 'sellToClose' }, '0', '10'],
  ['a buy that covers a short holds its shares', { intent: 'buyToClose' }, '0', '10'],
  ['the filled quantity of a buy is not held', { filledQuantity: whole(4) }, '540', '0'],
  [
    'the filled quantity of a sale is not held',
    { intent: 'sellToClose', filledQuantity: whole(4) },
    '0',
    '6',
  ],
  ['an order that ended holds nothing', { status: 'canceled' }, '0', '0'],
  ['a sale that ended holds nothing', { status: 'replaced', intent: 'sellToClose' }, '0', '0'],
  ['a notional order holds its amount', { notional: whole(100), quantity: whole(1) }, '100', '0'],
  [
    'a notional order holds its unspent amount',
    { notional: whole(100), filledQuantity: whole(1), spent: whole(40) },
    '60',
    '0',
  ],
  [
    'a leg that waits for its parent holds nothing',
    { status: 'held', intent: 'sellToClose', group: takeProfit },
    '0',
    '0',
  ],
  [
    'a working take-profit holds shares',
    { status: 'new', intent: 'sellToClose', group: takeProfit },
    '0',
    '10',
  ],
  [
    'an armed stop-loss holds nothing, because its sibling holds',
    { status: 'held', intent: 'sellToClose', group: stopLoss, trigger: { stop: whole(80), armedAt: at } },
    '0',
    '0',
  ],
  [
    'an elected stop-loss holds shares',
    {
      status: 'new',
      intent: 'sellToClose',
      group: stopLoss,
      trigger: { stop: whole(80), armedAt: at, electedAt: at },
    },
    '0',
    '10',
  ],
  [
    'a single stop-loss holds nothing before its parent is filled',
    {
      status: 'held',
      intent: 'sellToClose',
      group: { class: 'oto', role: 'stopLoss' },
      trigger: { stop: whole(80) },
    },
    '0',
    '0',
  ],
  [
    'a single stop-loss holds shares once it is armed',
    {
      status: 'held',
      intent: 'sellToClose',
      group: { class: 'oto', role: 'stopLoss' },
      trigger: { stop: whole(80), armedAt: at },
    },
    '0',
    '10',
  ],
]

for (const [name, changes, money, shares] of rows)
  test(name, () => {
    const order = { ...plainOrder(), ...changes }
    assert.deepEqual([format(heldMoney(order)), format(heldShares(order))], [money, shares])
  })
