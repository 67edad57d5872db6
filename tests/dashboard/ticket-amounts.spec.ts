import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimal, percentOf, textOf } from '../../web/src/format/decimal.ts'
import { closedPart } from '../../web/src/ticket/closed-part.ts'
import { type Sizing, sizeTextOf } from '../../web/src/ticket/size-amounts.ts'

const position = { qty: '90', side: 'long', avg_entry_price: '202.203' }

test('the gain of an order is that of the part that closes a position', () => {
  const gainOf = (order: { qty: string; estimated_value: string }, held: typeof position, isBuy: boolean) => {
    const part = closedPart(order, held, isBuy)
    return part && [textOf(part.quantity), Number(textOf(part.gain))]
  }
  // 40 at 220.60, bought at 202.203: 40 × 18.397.
  assert.deepEqual(gainOf({ qty: '40', estimated_value: '8824' }, position, false), ['40', 735.88])
  // Only 90 of the 100 are held: 90 × (200 − 202.203).
  assert.deepEqual(gainOf({ qty: '100', estimated_value: '20000' }, position, false), ['90', -198.27])
  const short = { qty: '-8', side: 'short', avg_entry_price: '560' }
  assert.deepEqual(gainOf({ qty: '8', estimated_value: '4440' }, short, true), ['8', 40])
  assert.equal(gainOf({ qty: '1', estimated_value: '200' }, position, true), undefined)
})

test('a percentage is of the buying power to buy, and of the free shares to sell', () => {
  const known: Sizing = {
    buyingPower: decimal('10000'),
    free: decimal('41'),
    price: decimal('300'),
    isCrypto: false,
  }
  const size = (percent: string, unit: 'shares' | 'money' | 'percent', side: 'buy' | 'sell', more = {}) =>
    sizeTextOf(decimal(percent), unit, side, { ...known, ...more })
  assert.equal(size('50', 'shares', 'buy'), '16')
  assert.equal(size('50', 'money', 'buy'), '5000')
  assert.equal(size('50', 'percent', 'buy'), '50')
  assert.equal(size('50', 'shares', 'sell'), '20')
  assert.equal(size('100', 'shares', 'sell', { free: decimal('41.5') }), '41.5')
  assert.equal(size('50', 'money', 'sell'), '6150')
  // Less than a share is a fraction; crypto has six places.
  assert.equal(size('1', 'shares', 'buy'), '0.3333')
  assert.equal(size('50', 'shares', 'buy', { isCrypto: true }), '16.666666')
  assert.equal(size('50', 'shares', 'buy', { price: undefined }), undefined)
  assert.equal(size('50', 'shares', 'buy', { buyingPower: decimal('-5') }), undefined)
  assert.equal(size('50', 'shares', 'sell', { free: decimal('0') }), undefined)
})

for (const [part, whole, places, shown] of [
  // 10.49982575 %: rounded twice it would be 11.
  ['10499.82575', '100000', 0, '10'],
  ['10499.82575', '100000', 2, '10.50'],
  ['10.5', '100', 0, '11'],
  ['-1', '8', 2, '-12.50'],
  ['-2', '3', 0, '-67'],
] as const)
  test(`${part} of ${whole} is ${shown} % with ${places} places`, () =>
    assert.equal(textOf(percentOf(decimal(part), decimal(whole), places)!), shown))
