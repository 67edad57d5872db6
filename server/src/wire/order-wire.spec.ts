import assert from 'node:assert/strict'
import test from 'node:test'
import type { Price, Quantity } from '@quipu/core'
import fc from 'fast-check'
import { anyAmount, anyInstant, anyOrder } from '../http/testing/orders.ts'
import { orderText, orderToWire } from './order-wire.ts'

test('the text of any order is the JSON of its record', () => {
  fc.assert(
    fc.property(anyOrder, (order) => assert.equal(orderText(order), JSON.stringify(orderToWire(order)))),
    { numRuns: 3_000 },
  )
})

test('the text of an order with legs is the JSON of its record', () => {
  fc.assert(
    fc.property(anyOrder, fc.array(anyOrder, { maxLength: 2 }), (order, legs) =>
      assert.equal(orderText(order, legs), JSON.stringify(orderToWire(order, legs))),
    ),
    { numRuns: 500 },
  )
})

test('the text of a changed order has the new values', () => {
  const changes = fc.record({
    updatedAt: anyInstant,
    filledQuantity: anyAmount as fc.Arbitrary<Quantity>,
    limit: anyAmount as fc.Arbitrary<Price>,
    expiresAt: anyInstant,
  })
  fc.assert(
    fc.property(anyOrder, changes, (order, changed) => {
      for (const one of [order, { ...order, ...changed }, order])
        assert.equal(orderText(one), JSON.stringify(orderToWire(one)))
    }),
    { numRuns: 500 },
  )
})
