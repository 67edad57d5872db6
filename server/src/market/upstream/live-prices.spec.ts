import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Ticker } from '@quipu/core'
import { createLog } from '../../process/log.ts'
import { UpstreamFailed } from './failure.ts'
import { type BoardParts, LivePrices } from './live-prices.ts'
import { newsFrom } from './news-from.ts'
import type { Sent } from './wire.ts'

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

/** A board over a provider of which the test says what it knows and whether it is there. */
function made(symbolsMax = 10) {
  const provider = { quotes: {} as Record<string, Sent>, trades: {} as Record<string, Sent>, isThere: true }
  const line = { kept: new Set<Ticker>(), knownAtMs: 0 }
  const clock = { ms: 1_000_000 }
  const latest: BoardParts['latest'] = {
    async of(kind, symbol, from) {
      if (!provider.isThere) throw new UpstreamFailed('is away')
      const sent = provider[kind as 'quotes' | 'trades'][symbol]
      return sent && from(sent)
    },
  }
  const board = new LivePrices({
    latest,
    streamOf: () => ({
      keep: (symbol) => line.kept.add(symbol),
      letGo: (symbol) => line.kept.delete(symbol),
      knownAtMs: line.knownAtMs,
    }),
    symbolsMax,
    log: createLog({ level: 'silent', readable: true, write: () => undefined }),
    now: () => clock.ms,
  })
  const tell = (T: string, symbol: Ticker, sent: Sent) =>
    board.onNews(newsFrom({ T, S: symbol, ...sent })!.news)
  return { board, provider, line, clock, tell }
}

test('the first need of a symbol asks for it and subscribes to it; then the stream tells', async () => {
  const { board, provider, line, tell } = made()
  provider.quotes['AAPL'] = quote(1, 99, 101)
  assert.equal(board.quote(AAPL), undefined)
  assert.deepEqual([...line.kept], [AAPL])
  await board.priced(AAPL)
  assert.equal(board.quote(AAPL)?.ask, 101_000_000_000n)
  tell('q', AAPL, quote(3, 100, 102))
  tell('q', AAPL, quote(2, 90, 92))
  assert.equal(board.quote(AAPL)?.ask, 102_000_000_000n, 'an older quote changes nothing')
  assert.equal(board.quote(AAPL)?.origin, undefined)
})

test('whoever watches is called when a quote is told', () => {
  const { board, tell } = made()
  let calls = 0
  const over = board.watch(AAPL, () => (calls += 1))
  tell('q', AAPL, quote(1, 99, 101))
  tell('t', AAPL, trade(2, 100))
  tell('q', MSFT, quote(1, 99, 101))
  over()
  tell('q', AAPL, quote(4, 99, 101))
  assert.equal(calls, 1)
})

test('a minute after the provider was last known to be there, its quotes are none; the last trade stays', async () => {
  const { board, provider, line, clock, tell } = made()
  tell('q', AAPL, quote(1, 99, 101))
  board.watch(AAPL, () => undefined)
  await turn()
  tell('q', AAPL, quote(1, 99, 101))
  tell('t', AAPL, trade(1, 100))
  provider.isThere = false
  clock.ms += 59_000
  assert.ok(board.quote(AAPL))
  clock.ms += 2000
  assert.equal(board.quote(AAPL), undefined)
  assert.equal(board.trade(AAPL)?.price, 100_000_000_000n)
  line.knownAtMs = clock.ms
  assert.ok(board.quote(AAPL), 'while the connection is up a quote is as old as it likes')
})

test('odd lots and one-sided quotes are no price', () => {
  const { board, tell } = made()
  board.watch(AAPL, () => undefined)
  tell('t', AAPL, trade(1, 100))
  tell('t', AAPL, trade(2, 50, ['@', 'I']))
  tell('q', AAPL, quote(2, 0, 101))
  assert.equal(board.trade(AAPL)?.price, 100_000_000_000n)
  assert.equal(board.quote(AAPL), undefined)
})

test('no more symbols are kept than may be: those needed longest ago go, except where orders wait', () => {
  const { board, line, clock } = made(2)
  board.watch(AAPL, () => undefined)
  clock.ms += 1
  board.quote(MSFT)
  clock.ms += 1
  board.quote(TSLA)
  assert.deepEqual([...line.kept], [AAPL, TSLA])
})

test('what nobody needs is let go after a while; what is held is kept', () => {
  const { board, line, clock } = made()
  for (const symbol of [AAPL, MSFT]) board.quote(symbol)
  board.watch(TSLA, () => undefined)
  clock.ms += 601_000
  board.sweep([AAPL])
  assert.deepEqual([...line.kept], [AAPL, TSLA])
})
