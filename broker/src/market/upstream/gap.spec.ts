import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bar, Instant, Price, Quantity, Ticker, Trade } from '@quipu/core'
import { PublishedNews } from './gap.ts'

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
  const published = new PublishedNews()
  for (let n = 1; n <= 1000; n++) assert.ok(published.trade(AAPL, trade(n, n), false))
  assert.equal(published.trade(AAPL, trade(1000, 1000), false), false)
  assert.equal(published.trade(AAPL, trade(3, 3), true), false, 'an old trade that may have arrived before')
  assert.equal(published.trade(AAPL, trade(1000, 1001), true), true, 'another trade of the same instant')
  assert.equal(published.trade(AAPL, trade(5, 9999), false), true, 'a late trade')
  assert.equal(published.lastTrade(AAPL), 1000n)
})

test('each minute is new once, and in order', () => {
  const published = new PublishedNews()
  const bar = (start: bigint) => ({ start }) as Bar
  assert.deepEqual(
    [60n, 120n, 120n, 60n, 180n].map((at) => published.bar(AAPL, bar(at))),
    [true, true, false, false, true],
  )
  published.forget('bars', AAPL)
  assert.ok(published.bar(AAPL, bar(60n)))
})
