import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Price } from '../../amount.ts'
import type { OrderId, Ticker } from '../../ids.ts'
import type { Order, Side } from '../order.ts'
import { emptyBook, enter, leave, nearestPrice, priceIn, reachedOrders } from './book.ts'

const order = (id: number, side: Side, limit?: number): Order =>
  ({
    id: `o${id}` as OrderId,
    side,
    kind: limit === undefined ? 'market' : 'limit',
    symbol: 'AAPL' as Ticker,
    extendedHours: false,
    limit: limit === undefined ? undefined : (BigInt(limit) as Price),
  }) as Order

const step = fc.record({
  remove: fc.boolean(),
  side: fc.constantFrom<Side>('buy', 'sell'),
  limit: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
  which: fc.nat(),
  quoted: fc.integer({ min: 0, max: 7 }),
})

test('a book returns the same orders as a list sorted by price and time', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const book = emptyBook()
      let list: Order[] = []
      steps.forEach(({ remove, side, limit, which, quoted }, index) => {
        if (remove) {
          const removed = list[which % Math.max(list.length, 1)]
          if (removed) leave(book, removed)
          list = list.filter((each) => each !== removed)
        } else {
          const added = order(index, side, limit)
          enter(book, added)
          list.push(added)
        }
        for (const side of ['buy', 'sell'] as const) {
          const sorted = list.filter((one) => one.side === side).toSorted((a, b) => compare(side, a, b))
          const hit = sorted.filter((one) =>
            side === 'buy' ? priceIn(one) >= BigInt(quoted) : priceIn(one) <= BigInt(quoted),
          )
          const levels = book.regular[side]
          assert.deepEqual(
            [...reachedOrders(levels, side, BigInt(quoted) as Price)],
            hit.map(({ id }) => id),
          )
          assert.equal(nearestPrice(levels, side), sorted[0] && priceIn(sorted[0]))
        }
      })
    }),
  )
})

const compare = (side: Side, a: Order, b: Order): number =>
  Number(side === 'buy' ? priceIn(b) - priceIn(a) : priceIn(a) - priceIn(b))

test('leaving twice has no further effect, and an empty level is deleted', () => {
  const book = emptyBook()
  const one = order(1, 'buy', 3)
  enter(book, one)
  leave(book, one)
  leave(book, one)
  assert.equal(book.regular.buy.prices.length + book.regular.buy.orders.length, 0)
  assert.equal(nearestPrice(book.regular.buy, 'buy'), undefined)
})
