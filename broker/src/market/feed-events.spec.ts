import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Bar,
  type Instant,
  MINUTE,
  type Price,
  type Quantity,
  type QuoteBook,
  SECOND,
  type TapeMessage,
  type Ticker,
  type Trade,
} from '@quipu/core'
import { VirtualClock } from '../clock/virtual.ts'
import { type News, WorldFeed } from './feed.ts'
import { type FeedMarket, ofClass } from './feed-market.ts'
import { testMarket } from './test-market.ts'

const START = 1_793_631_600_000_000_000n as Instant
const FAKEPACA = 'FAKEPACA' as Ticker
const later = (seconds: number): Instant => (START + BigInt(seconds) * SECOND) as Instant

const trade: Trade = {
  at: later(5),
  price: 100n as Price,
  size: 1n as Quantity,
  side: 'buy',
  id: 7,
  exchange: 'N',
  tape: 'A',
  conditions: [' '],
}
const bar: Bar = { start: START, open: 1, high: 2, low: 1, close: 2, volume: 3, trades: 1, vwap: 1.5 }
const fixed = { id: 8, price: 101n as Price, size: 1n as Quantity, conditions: [' '] }

const events: readonly TapeMessage[] = [
  {
    at: later(10),
    id: 1,
    kind: 'status',
    code: '2',
    message: 'Halt',
    reason: 'P',
    reasonMessage: 'News',
    tape: 'A',
  },
  { at: later(10), id: 2, kind: 'luld', up: 2n as Price, down: 1n as Price, indicator: 'B', tape: 'A' },
  { at: later(70), id: 3, kind: 'lateTrade', trade },
  {
    at: later(75),
    id: 4,
    kind: 'correction',
    exchange: 'N',
    tape: 'A',
    original: { ...fixed, id: 7 },
    corrected: fixed,
  },
  { at: later(80), id: 5, kind: 'cancel', trade, action: 'E' },
  { at: later(90), id: 6, kind: 'updatedBar', bar },
]

/** The test market with a list of events, and a book that changes with every quote. */
const market: FeedMarket = {
  ...testMarket,
  history: {
    ...testMarket.history,
    events: async ({ from, to }) => events.filter(({ at }) => at >= from && at <= to),
    book: async (_, at): Promise<QuoteBook> => ({
      at,
      bids: [{ price: (at / (5n * SECOND)) as Price, size: 1n as Quantity }],
      asks: [],
    }),
  },
}

function openFeed() {
  const failed = (error: unknown): never => {
    throw error
  }
  const clock = new VirtualClock(START, async () => undefined, failed)
  const sent: { readonly news: News; readonly to: readonly string[] }[] = []
  const feed = new WorldFeed<string>({
    clock,
    market: () => market,
    delayNs: 0n,
    send: (news, listeners) => sent.push({ news, to: [...listeners] }),
    failed,
  })
  const advance = async (seconds: number) => {
    await feed.started()
    await clock.advance((clock.now() + BigInt(seconds) * SECOND) as Instant)
  }
  return { feed, sent, advance }
}

test('an event is sent at its time to the listeners of its channel', async () => {
  const { feed, sent, advance } = openFeed()
  feed.subscribe('status', { statuses: [FAKEPACA] })
  feed.subscribe('luld', { lulds: ['*'] })
  feed.subscribe('updated', { updatedBars: [FAKEPACA] })
  await advance(9)
  assert.equal(sent.length, 0)
  await advance(1)
  assert.deepEqual(
    sent.map(({ news, to }) => [news.channel, to]),
    [
      ['statuses', ['status']],
      ['lulds', ['luld']],
    ],
  )
  await advance(120)
  assert.deepEqual(
    sent.slice(2).map(({ news, to }) => [news.channel, to]),
    [['updatedBars', ['updated']]],
  )
  feed.close()
})

test('late trades, corrections and cancels are sent to listeners of trades', async () => {
  const { feed, sent, advance } = openFeed()
  feed.subscribe('me', { trades: [FAKEPACA] })
  await advance(120)
  const others = sent.filter(({ news }) => news.channel !== 'trades' || news.trades[0]?.id === 7)
  assert.deepEqual(
    others.map(({ news }) => news.channel),
    ['trades', 'corrections', 'cancelErrors'],
  )
  feed.close()
})

test('a new listener receives the whole book, then changes', async () => {
  const { feed, sent, advance } = openFeed()
  feed.subscribe('early', { orderbooks: [FAKEPACA] })
  await advance(5)
  feed.subscribe('late', { orderbooks: [FAKEPACA] })
  await advance(5)
  const messages = sent.map(({ news, to }) => [news.channel === 'orderbooks' && news.isWhole, to])
  assert.deepEqual(messages, [
    [true, ['early']],
    [false, ['early']],
    [true, ['late']],
    [false, ['early', 'late']],
  ])
  feed.unsubscribe('early', { orderbooks: [FAKEPACA] })
  feed.unsubscribe('late', { orderbooks: [FAKEPACA] })
  await advance(Number(MINUTE / SECOND))
  assert.equal(sent.length, 4)
  feed.close()
})

test('the market of one asset class has the history of the moment', () => {
  let { history } = testMarket
  const changing: FeedMarket = {
    ...testMarket,
    get history() {
      return history
    },
  }
  const stocks = ofClass('usEquity')
  assert.equal(stocks(changing).history, testMarket.history)
  history = { ...history }
  assert.equal(stocks(changing).history, history)
})
