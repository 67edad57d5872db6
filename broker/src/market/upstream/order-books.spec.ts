import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instant, Price, Quantity, Ticker } from '@quipu/core'
import type { News } from '../news.ts'
import { OrderBooks } from './live-data.ts'

test('changes update the stored order book', () => {
  const books = new OrderBooks()
  const level = (price: number, size: number) => ({
    price: BigInt(price) as Price,
    size: BigInt(size) as Quantity,
  })
  const news = (
    isWhole: boolean,
    bids: ReturnType<typeof level>[],
    asks: ReturnType<typeof level>[],
  ): News => ({
    channel: 'orderbooks',
    symbol: 'BTC/USD' as Ticker,
    book: { at: 1n as Instant, bids, asks },
    isWhole,
  })
  books.onNews(news(false, [level(9, 9)], []))
  assert.equal(books.whole('BTC/USD' as Ticker), undefined, 'a change of an unknown book is ignored')
  books.onNews(news(true, [level(10, 1), level(9, 1)], [level(11, 1)]))
  books.onNews(news(false, [level(10, 0), level(8, 2)], [level(12, 3)]))
  const { bids, asks } = books.whole('BTC/USD' as Ticker)!.book
  assert.deepEqual(
    [bids, asks],
    [
      [level(9, 1), level(8, 2)],
      [level(11, 1), level(12, 3)],
    ],
  )
  books.keepOnly(() => false)
  assert.equal(books.whole('BTC/USD' as Ticker), undefined)
})
