import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  formatInstant,
  type Instant,
  MINUTE,
  SECOND,
  type Ticker,
  type WorldId,
  type WorldSettings,
} from '@quipu/core'
import type { Rank, WorldClock } from '../clock/clock.ts'
import { Timers } from '../clock/timers.ts'
import { openMemoryJournal } from '../journal/memory.ts'
import { openMemoryQueryTables } from '../query-tables/memory.ts'
import { openWorld } from '../world/world.ts'
import { type News, WorldFeed } from './feed.ts'
import { syntheticMarket } from './synthetic/synthetic.ts'
import { testMarket } from './test-market.ts'

/** Monday 2 November 2026, 10:00 in New York. */
const START = 1_793_631_600_000_000_000n as Instant

/** A wall clock of a machine that may be suspended and resumed later. */
class SuspendableClock implements WorldClock {
  readonly #timers = new Timers()
  #now = START

  now(): Instant {
    return this.#now
  }

  timer(due: Instant, rank: Rank, run: () => void | Promise<void>): () => void {
    const timer = this.#timers.add(due, rank, run)
    return () => this.#timers.remove(timer)
  }

  close(): void {
    this.#timers.clear()
  }

  /** Resumes at an instant and runs all due timers. */
  async resume(at: Instant): Promise<void> {
    this.#now = at
    for (let timer = this.#timers.takeDue(at); timer; timer = this.#timers.takeDue(at)) await timer.run()
  }
}

const settings: WorldSettings = {
  seed: 'feed',
  hours: 'always',
  fillSize: 'unlimited',
  latencyNs: 0n,
  startingCash: 0n as WorldSettings['startingCash'],
}

async function openFeed() {
  const clock = new SuspendableClock()
  const failures: unknown[] = []
  const world = await openWorld({
    id: 'feed' as WorldId,
    code: '00',
    settings,
    clock,
    openJournal: async () => openMemoryJournal(),
    openQueryTables: openMemoryQueryTables,
    snapshot: async () => undefined,
    market: syntheticMarket,
    runJob: async () => undefined,
    queueMax: 10,
    queryTablesLagMax: 10,
    queryTablesWaitMs: 10,
    failed: (error) => failures.push(error),
  })
  const sent: News[] = []
  const failed = (error: unknown) => failures.push(error)
  const feed = new WorldFeed<string>({
    clock,
    market: () => world.market,
    delayNs: 0n,
    send: (news) => sent.push(news),
    failed,
  })
  return { clock, world, feed, sent, failures }
}

const later = (minutes: number, seconds = 0): Instant =>
  (START + BigInt(minutes) * MINUTE + BigInt(seconds) * SECOND) as Instant
const startsOf = (sent: readonly News[]) =>
  sent.map((news) => 'bar' in news && formatInstant(news.bar.start).slice(11, 16))

test('minutes missed in a short suspend are published afterwards, in order', async () => {
  const { clock, world, feed, sent } = await openFeed()
  feed.subscribe('me', { bars: ['AAPL'] })
  await clock.resume(later(1))
  await clock.resume(later(4, 30))
  assert.deepEqual(startsOf(sent), ['15:00', '15:01', '15:02', '15:03'])
  feed.close()
  await world.close()
})

test('after a long suspend only the last minutes are published', async () => {
  const { clock, world, feed, sent } = await openFeed()
  feed.subscribe('me', { bars: ['AAPL'] })
  await clock.resume(later(1))
  await clock.resume(later(8 * 60, 20))
  assert.deepEqual(startsOf(sent), ['15:00', '15:01', '22:55', '22:56', '22:57', '22:58', '22:59'])
  feed.close()
  await world.close()
})

test('after a long suspend only the ticks of the last seconds are published', async () => {
  const { clock, world, feed, sent } = await openFeed()
  feed.subscribe('me', { trades: ['AAPL'], quotes: ['AAPL'] })
  await feed.started()
  await clock.resume(later(60))
  const times = sent.flatMap((news) => ('trades' in news ? news.trades.map(({ at }) => at) : []))
  assert.ok(times.length > 1)
  assert.ok(times.slice(1).every((at) => at > later(60, -6)))
  feed.close()
  await world.close()
})

test('after unsubscribe nothing is sent, and a market that failed is queried again', async () => {
  const { clock, world, feed, sent, failures } = await openFeed()
  feed.subscribe('me', { bars: ['*'], dailyBars: ['AAPL'], trades: ['*'], quotes: ['AAPL'] })
  await feed.started()
  const { history } = world.market
  const { bars } = history
  history.bars = async () => {
    throw new Error('the market is unavailable')
  }
  await clock.resume(later(1))
  assert.deepEqual(failures.map(String), ['Error: the market is unavailable'])
  history.bars = bars
  const before = sent.length
  await clock.resume(later(2))
  assert.ok(sent.slice(before).some((news) => news.channel === 'bars'))
  feed.unsubscribe('me', { bars: ['*'], dailyBars: ['AAPL'], trades: ['*'], quotes: ['AAPL'] })
  const count = sent.length
  await clock.resume(later(5))
  assert.equal(sent.length, count)
  await world.close()
})

test('unsubscribe works while the market fails', async () => {
  const { world, feed } = await openFeed()
  feed.subscribe('me', { trades: ['*'] })
  feed.subscribe('you', { trades: ['AAPL'], bars: ['*'] })
  await feed.started()
  const { assets } = world.market
  world.market.assets = () => {
    throw new Error('the market is unavailable')
  }
  feed.unsubscribe('me', { trades: ['*'] })
  world.market.assets = assets
  feed.close()
  await world.close()
})

test('the bar of the test symbol is folded from its trades', async () => {
  const [from, symbol] = [later(7), 'FAKEPACA' as Ticker]
  const frame = { unit: 'minute', count: 1 } as const
  const minute = { symbol, frame, from, to: from, now: later(8), sort: 'asc', limit: 1 } as const
  const [bar] = await testMarket.history.bars(minute)
  const trades = await testMarket.history.trades({
    symbol,
    from,
    to: (later(8) - 1n) as Instant,
    now: later(8),
    sort: 'asc',
    limit: 100,
  })
  const prices = trades.map(({ price }) => Number(price) / 1e9)
  assert.deepEqual(
    [bar!.trades, bar!.open, bar!.high, bar!.low, bar!.close],
    [12, prices[0], Math.max(...prices), Math.min(...prices), prices.at(-1)],
  )
  assert.equal(bar!.volume, 12 * 100)
  const mean = prices.reduce((sum, price) => sum + price, 0) / prices.length
  assert.equal(bar!.vwap.toFixed(6), mean.toFixed(6))
})
