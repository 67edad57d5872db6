import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import * as reference from '@msgpack/msgpack'
import { seedWorld } from '@quipu/broker/access/issue-keys.ts'
import { type Instant, MINUTE, type Ticker, type WorldId } from '@quipu/core'
import { barToWire } from '../wire/market-data-wire.ts'
import {
  acknowledged,
  advance,
  dataClient,
  type Json,
  openStage,
  type Stage,
  streamError,
} from './testing/sockets.ts'

let stage: Stage
before(async () => {
  stage = await openStage()
})
after(() => stage.close())

test('the test stream has three channels, and its symbol always trades', async () => {
  const client = await dataClient(stage, '/v2/test')
  const lists = { trades: ['FAKEPACA', 'AAPL'], quotes: ['FAKEPACA'], bars: ['*'] }
  assert.deepEqual(await client.request({ action: 'subscribe', ...lists }), [{ T: 'subscription', ...lists }])
  assert.deepEqual(await client.request({ action: 'subscribe', lulds: ['*'] }), streamError(410))
  await advance(stage, 1)
  const messages = (await client.rest()).flat()
  assert.ok(messages.every(({ S }) => S === 'FAKEPACA'))
  const kinds = ['t', 'q', 'b'].map((kind) => messages.filter(({ T }) => T === kind).length)
  assert.deepEqual(kinds, [12, 12, 1])
  await client.leave()
})

test('boats and overnight acknowledge all subscriptions and send no data', async () => {
  for (const path of ['/v1beta1/boats', '/v1beta1/overnight']) {
    const client = await dataClient(stage, path)
    assert.deepEqual(
      await client.request({ action: 'subscribe', bars: ['*'] }),
      acknowledged({ bars: ['*'] }),
    )
    await advance(stage, 1)
    assert.deepEqual(await client.rest(), [])
    await client.leave()
  }
})

const silent: readonly (readonly [path: string, lists: Readonly<Record<string, readonly string[]>>])[] = [
  ['/v1beta1/crypto-perps/global', { trades: ['BTC-PERP'], pricing: ['*'] }],
  ['/v1beta1/opra', { trades: ['AAPL261218C00250000'] }],
  ['/v1beta1/indicative', { quotes: ['AAPL261218C00250000'] }],
  ['/v1beta1/news', { news: ['*'] }],
]
for (const [path, lists] of silent)
  test(`${path} acknowledges subscriptions and sends no data`, async () => {
    const client = await dataClient(stage, path, stage.key, { codec: 'messagePack' })
    const [ack] = await client.request({ action: 'subscribe', ...lists })
    for (const [channel, symbols] of Object.entries(lists)) assert.deepEqual(ack[channel], symbols)
    await advance(stage, 1)
    assert.deepEqual(await client.rest(), [])
    await client.leave()
  })

test('option streams require MessagePack, and quotes of all symbols are refused', async () => {
  const reader = await dataClient(stage, '/v1beta1/opra')
  assert.deepEqual(await reader.next(), streamError(412))
  assert.deepEqual(
    await reader.request({ action: 'subscribe', trades: ['AAPL261218C00250000'] }),
    streamError(412),
  )
  await reader.leave()
  const packed = await dataClient(stage, '/v1beta1/opra', stage.key, { codec: 'messagePack' })
  assert.deepEqual(await packed.request({ action: 'subscribe', quotes: ['*'] }), streamError(413))
  const trades = { trades: ['*'], quotes: [] }
  assert.deepEqual(await packed.request({ action: 'subscribe', ...trades }), [
    { T: 'subscription', ...trades },
  ])
  await packed.leave()
})

const barsOf = (messages: readonly Json[]): Json[] => messages.flat()

test('each minute the stream sends the bar of the history, in both codecs', async () => {
  const clients = [
    await dataClient(stage, '/v2/iex'),
    await dataClient(stage, '/v2/sip', stage.otherKey, { codec: 'messagePack' }),
  ]
  for (const client of clients)
    await client.request({ action: 'subscribe', bars: ['MSFT', 'AAPL', 'NOSUCH'] })
  const from = stage.clock.now()
  await advance(stage, 3)
  const { bars } = stage.world.market.history
  const expected: Json[] = []
  for (let minute = from; minute < stage.clock.now(); minute = (minute + MINUTE) as Instant)
    for (const symbol of ['AAPL', 'MSFT'] as Ticker[]) {
      const frame = { unit: 'minute', count: 1 } as const
      const now = stage.clock.now()
      const [bar] = await bars({ symbol, frame, from: minute, to: minute, now, sort: 'asc', limit: 1 })
      if (bar) expected.push({ T: 'b', S: symbol, ...barToWire(bar) })
    }
  assert.ok(expected.length >= 4)
  for (const client of clients) {
    const received = barsOf(await client.rest())
    assert.deepEqual(received, expected)
    assert.equal(Object.keys(received[0])[0], 'T')
    await client.leave()
  }
})

test('in MessagePack a time is a timestamp and a volume an integer', async () => {
  const client = await dataClient(stage, '/v2/iex', stage.key, { codec: 'messagePack' })
  await client.request({ action: 'subscribe', bars: ['AAPL'] })
  const frame = once(client.ws, 'message') as Promise<[Buffer, boolean]>
  const mark = stage.clock.now()
  await advance(stage, 1)
  const [bytes, isBinary] = await frame
  const [bar] = reference.decode(bytes, { useBigInt64: true }) as [Json]
  assert.ok(isBinary)
  assert.deepEqual(bar.t, new Date(Number(mark / 1_000_000n)))
  assert.ok(Number.isInteger(bar.v) && Number.isInteger(bar.n))
  await client.leave()
})

test('a star subscribes to every symbol, without duplicates, until it is unsubscribed', async () => {
  const client = await dataClient(stage, '/v2/iex')
  await client.request({ action: 'subscribe', bars: ['*', 'AAPL'] })
  await advance(stage, 1)
  const symbols = barsOf(await client.rest()).map(({ S }) => S)
  assert.deepEqual(symbols, [...new Set(symbols)].sort())
  assert.ok(symbols.length > 10)
  await client.request({ action: 'unsubscribe', bars: ['*'] })
  await advance(stage, 1)
  assert.deepEqual(
    barsOf(await client.rest()).map(({ S }) => S),
    ['AAPL'],
  )
  await client.request({ action: 'unsubscribe', bars: ['AAPL'] })
  await advance(stage, 1)
  assert.deepEqual(await client.rest(), [])
  await client.leave()
})

test('the daily bar is updated after each minute', async () => {
  const client = await dataClient(stage, '/v2/iex')
  await client.request({ action: 'subscribe', bars: ['AAPL'], dailyBars: ['AAPL'] })
  await advance(stage, 2)
  const bars = barsOf(await client.rest())
  assert.deepEqual(
    bars.map(({ T }) => T),
    ['b', 'd', 'b', 'd'],
  )
  assert.equal(bars[1].t, '2026-11-02T05:00:00Z')
  assert.equal(bars[3].v - bars[1].v, bars[2].v)
  await client.leave()
})

test('trades and quotes are sent as they occur, and the trades add up to the bar', async () => {
  const client = await dataClient(stage, '/v2/iex')
  await advance(stage, 1)
  await client.request({ action: 'subscribe', trades: ['AAPL'], quotes: ['AAPL'], bars: ['AAPL'] })
  await advance(stage, 1)
  const messages = barsOf(await client.rest())
  const trades = messages.filter(({ T }) => T === 't')
  const bar = messages.find(({ T }) => T === 'b')
  assert.equal(trades.length, bar.n)
  assert.equal(
    trades.reduce((sum, { s }) => sum + s, 0),
    bar.v,
  )
  const quotes = messages.filter(({ T }) => T === 'q')
  assert.ok(quotes.length > 0 && quotes.every(({ bp, ap }) => bp < ap))
  for (const ticks of [trades, quotes]) {
    const times = ticks.map(({ t }) => t)
    assert.deepEqual(times, [...new Set(times)].sort())
  }
  await client.leave()
})

test('the delayed feed sends each minute 15 minutes later', async () => {
  const client = await dataClient(stage, '/v2/delayed_sip')
  await client.request({ action: 'subscribe', bars: ['AAPL'] })
  await advance(stage, 1)
  const [bar] = barsOf(await client.rest())
  const minutesAgo = (stage.clock.now() / 1_000_000n - BigInt(Date.parse(bar.t))) / 60_000n
  assert.equal(minutesAgo, 16n)
  await client.leave()
})

test('each world has a separate clock and tape', async () => {
  const settings = { ...stage.world.view.settings!, seed: 'another' }
  const entry = await stage.services.worlds.lifecycle.create(
    'another' as WorldId,
    settings,
    stage.clock.now(),
  )
  const { accounts } = await seedWorld(entry.world, { accounts: ['paper'], cash: settings.startingCash })
  const [first, second] = [
    await dataClient(stage, '/v2/iex'),
    await dataClient(stage, '/v2/iex', accounts[0]!),
  ]
  for (const client of [first, second]) await client.request({ action: 'subscribe', bars: ['AAPL'] })
  await advance(stage, 1)
  const [bar] = barsOf(await first.rest())
  assert.deepEqual(await second.rest(), [])
  await advance({ clock: entry.clock! }, 1)
  const [other] = barsOf(await second.rest())
  assert.deepEqual(await first.rest(), [])
  assert.equal(other.t, bar.t)
  assert.notEqual(other.c, bar.c)
  await stage.services.worlds.lifecycle.delete('another' as WorldId)
  await second.closed
  await first.leave()
})

test('without clients no streams are open', async () => {
  const before = stage.streams.stats()
  await advance(stage, 5)
  assert.deepEqual(stage.streams.stats(), before)
  assert.deepEqual(before.open, {})
})
