import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Ticker } from '@quipu/core'
import { createLog } from '../../log/log.ts'
import { UpstreamFailed } from './failure.ts'
import { type BoardParts, LivePrices } from './live-prices.ts'
import { newsFrom, type Sent } from './wire.ts'

const AAPL = 'AAPL' as Ticker
const MSFT = 'MSFT' as Ticker
const TSLA = 'TSLA' as Ticker

const quote = (second: number, bp: number, ap: number): Sent => ({
  t: `2026-11-02T15:00:${String(second).padStart(2, '0')}Z`,
  ...{ bp, ap, bs: 1, as: 1, bx: 'V', ax: 'V', c: ['R'], z: 'C' },
})
const trade = (second: number, p: number, c: readonly string[] = ['@']): Sent => ({
  t: `2026-11-02T15:00:${String(second).padStart(2, '0')}Z`,
  ...{ p, s: 1, i: second, x: 'V', c, z: 'C' },
})

/** Live prices of a provider whose data and availability the test sets. */
function makePrices(symbolsMax = 10) {
  const provider = {
    quotes: {} as Record<string, Sent>,
    trades: {} as Record<string, Sent>,
    isAvailable: true,
  }
  const stream = { subscribed: new Set<Ticker>(), knownAtMs: 0 }
  const clock = { ms: 1_000_000 }
  const latest: BoardParts['latest'] = {
    async of(kind, symbol, from) {
      if (!provider.isAvailable) throw new UpstreamFailed('is unavailable')
      const sent = provider[kind as 'quotes' | 'trades'][symbol]
      return sent && from(sent)
    },
  }
  const board = new LivePrices({
    latest,
    streamOf: () => ({
      keep: (symbol) => stream.subscribed.add(symbol),
      release: (symbol) => stream.subscribed.delete(symbol),
      knownAtMs: stream.knownAtMs,
    }),
    symbolsMax,
    log: createLog({ level: 'silent', readable: true, write: () => undefined }),
    now: () => clock.ms,
  })
  const receive = (T: string, symbol: Ticker, sent: Sent) =>
    board.onNews(newsFrom({ T, S: symbol, ...sent })!)
  return { board, provider, stream, clock, receive }
}

test('the first use of a symbol requests its price and subscribes to it', async () => {
  const { board, provider, stream, receive } = makePrices()
  provider.quotes['AAPL'] = quote(1, 99, 101)
  assert.equal(board.quote(AAPL), undefined)
  assert.deepEqual([...stream.subscribed], [AAPL])
  await board.waitForPrice(AAPL)
  assert.equal(board.quote(AAPL)?.ask, 101_000_000_000n)
  receive('q', AAPL, quote(3, 100, 102))
  receive('q', AAPL, quote(2, 90, 92))
  assert.equal(board.quote(AAPL)?.ask, 102_000_000_000n, 'an older quote changes nothing')
  assert.equal(board.quote(AAPL)?.origin, undefined)
})

test('a watcher is called when a quote changes', () => {
  const { board, receive } = makePrices()
  let calls = 0
  const unwatch = board.watch(AAPL, () => (calls += 1))
  receive('q', AAPL, quote(1, 99, 101))
  receive('t', AAPL, trade(2, 100))
  receive('q', MSFT, quote(1, 99, 101))
  unwatch()
  receive('q', AAPL, quote(4, 99, 101))
  assert.equal(calls, 1)
})

test('a minute after the last contact with the provider there is no quote; the last trade stays', async () => {
  const { board, provider, stream, clock, receive } = makePrices()
  receive('q', AAPL, quote(1, 99, 101))
  board.watch(AAPL, () => undefined)
  await nextTurn()
  receive('q', AAPL, quote(1, 99, 101))
  receive('t', AAPL, trade(1, 100))
  provider.isAvailable = false
  clock.ms += 59_000
  assert.ok(board.quote(AAPL))
  clock.ms += 2000
  assert.equal(board.quote(AAPL), undefined)
  assert.equal(board.trade(AAPL)?.price, 100_000_000_000n)
  stream.knownAtMs = clock.ms
  assert.ok(board.quote(AAPL), 'a quote does not expire while the connection is up')
})

test('odd lots and one-sided quotes do not set a price', () => {
  const { board, receive } = makePrices()
  board.watch(AAPL, () => undefined)
  receive('t', AAPL, trade(1, 100))
  receive('t', AAPL, trade(2, 50, ['@', 'I']))
  receive('q', AAPL, quote(2, 0, 101))
  assert.equal(board.trade(AAPL)?.price, 100_000_000_000n)
  assert.equal(board.quote(AAPL), undefined)
})

test('above the limit, the least recently used symbol without waiting orders is dropped', () => {
  const { board, stream, clock } = makePrices(2)
  board.watch(AAPL, () => undefined)
  clock.ms += 1
  board.quote(MSFT)
  clock.ms += 1
  board.quote(TSLA)
  assert.deepEqual([...stream.subscribed], [AAPL, TSLA])
})

test('an unused symbol is dropped after ten minutes, unless it is held or watched', () => {
  const { board, stream, clock } = makePrices()
  for (const symbol of [AAPL, MSFT]) board.quote(symbol)
  board.watch(TSLA, () => undefined)
  clock.ms += 601_000
  board.sweep([AAPL])
  assert.deepEqual([...stream.subscribed], [AAPL, TSLA])
})
