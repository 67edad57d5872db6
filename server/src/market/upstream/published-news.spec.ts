import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bar, Instant, Price, Quantity, Ticker, Trade } from '@quipu/core'
import { PublishedNews } from './published-news.ts'

const AAPL = 'AAPL' as Ticker
const trade = (at: number, id: number): Trade => ({
  at: BigInt(at) as Instant,
  id,
  price: 1n as Price,
  size: 1n as Quantity,
  side: 'buy',
  exchange: 'V',
  tape: 'C',
  conditions: [],
})

test('a trade is new once, also after many others', () => {
  const told = new PublishedNews()
  for (let n = 1; n <= 1000; n++) assert.ok(told.trade(AAPL, trade(n, n), false))
  assert.equal(told.trade(AAPL, trade(1000, 1000), false), false)
  assert.equal(told.trade(AAPL, trade(3, 3), true), false, 'one that may have come before')
  assert.equal(told.trade(AAPL, trade(1000, 1001), true), true, 'another of the same instant')
  assert.equal(told.trade(AAPL, trade(5, 9999), false), true, 'one that is told late')
  assert.equal(told.lastTrade(AAPL), 1000n)
})

test('minutes are told in order, each once', () => {
  const told = new PublishedNews()
  const bar = (start: bigint) => ({ start }) as Bar
  assert.deepEqual(
    [60n, 120n, 120n, 60n, 180n].map((at) => told.bar(AAPL, bar(at))),
    [true, true, false, false, true],
  )
  told.forget('bars', AAPL)
  assert.ok(told.bar(AAPL, bar(60n)))
})
