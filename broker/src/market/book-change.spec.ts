import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BookLevel, Instant, QuoteBook } from '@quipu/core'
import { bookChange } from './board.ts'

const side = (levels: Readonly<Record<number, number>>): readonly BookLevel[] =>
  Object.entries(levels).map(([price, size]) => ({ price: BigInt(price), size: BigInt(size) }) as BookLevel)
const book = (at: bigint, bids: Record<number, number>, asks: Record<number, number>): QuoteBook => ({
  at: at as Instant,
  bids: side(bids),
  asks: side(asks),
})

const rows: readonly (readonly [name: string, from: QuoteBook, to: QuoteBook, change: QuoteBook])[] = [
  ['nothing', book(1n, { 9: 5 }, { 11: 5 }), book(2n, { 9: 5 }, { 11: 5 }), book(2n, {}, {})],
  ['a size', book(1n, { 9: 5, 8: 1 }, {}), book(2n, { 9: 6, 8: 1 }, {}), book(2n, { 9: 6 }, {})],
  ['a new level', book(1n, {}, { 11: 5 }), book(2n, {}, { 10: 2, 11: 5 }), book(2n, {}, { 10: 2 })],
  ['a deleted level', book(1n, { 9: 5 }, {}), book(2n, {}, {}), book(2n, { 9: 0 }, {})],
  [
    'both sides',
    book(1n, { 9: 5 }, { 11: 5 }),
    book(2n, { 8: 5 }, { 12: 5 }),
    book(2n, { 8: 5, 9: 0 }, { 11: 0, 12: 5 }),
  ],
]

const sorted = (levels: readonly BookLevel[]) => [...levels].sort((a, b) => Number(a.price - b.price))

for (const [name, from, to, expected] of rows)
  test(`a book that changes by ${name}`, () => {
    const change = bookChange(from, to)
    assert.equal(change.at, to.at)
    assert.deepEqual(sorted(change.bids), sorted(expected.bids))
    assert.deepEqual(sorted(change.asks), sorted(expected.asks))
  })
