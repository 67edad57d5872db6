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
import { openMemoryViews } from '../views/memory.ts'
import { World } from '../world/world.ts'
import { MarketFeed, type News } from './feed.ts'
import { syntheticMarket } from './synthetic/synthetic.ts'
import { testMarket } from './test-market.ts'

/** Monday 2 November 2026, 10:00 in New York. */
const START = 1_793_631_600_000_000_000n as Instant

/** A clock like the machine's, which may sleep and wake up later; it waits for nobody. */
class SleepyClock implements WorldClock {
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

  /** Wakes up at an instant and runs what is due, until nothing new comes due. */
  async wake(at: Instant): Promise<void> {
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
  const clock = new SleepyClock()
  const failures: unknown[] = []
  const world = await World.open({
    id: 'feed' as WorldId,
    settings,
    clock,
    openJournal: async () => openMemoryJournal(),
    openViews: openMemoryViews,
    snapshot: async () => undefined,
    market: syntheticMarket,
    runJob: async () => undefined,
    queueMax: 10,
    viewsLagMax: 10,
    viewsWaitMs: 10,
    failed: (error) => failures.push(error),
  })
  const told: News[] = []
  const failed = (error: unknown) => failures.push(error)
  const feed = new MarketFeed<string>({
    clock,
    market: () => world.market,
    delayNs: 0n,
    send: (news) => told.push(news),
    failed,
  })
  return { clock, world, feed, told, failures }
}

const later = (minutes: number, seconds = 0): Instant =>
  (START + BigInt(minutes) * MINUTE + BigInt(seconds) * SECOND) as Instant
const startsOf = (told: readonly News[]) =>
  told.map((news) => 'bar' in news && formatInstant(news.bar.start).slice(11, 16))

test('minutes missed by a short sleep are told afterwards, in order', async () => {
  const { clock, world, feed, told } = await openFeed()
  feed.subscribe('me', { bars: ['AAPL'] })
  await clock.wake(later(1))
  await clock.wake(later(4, 30))
  assert.deepEqual(startsOf(told), ['15:00', '15:01', '15:02', '15:03'])
  feed.close()
  await world.close()
})

test('of a long sleep only the last minutes are told', async () => {
  const { clock, world, feed, told } = await openFeed()
  feed.subscribe('me', { bars: ['AAPL'] })
  await clock.wake(later(1))
  await clock.wake(later(8 * 60, 20))
  assert.deepEqual(startsOf(told), ['15:00', '15:01', '22:55', '22:56', '22:57', '22:58', '22:59'])
  feed.close()
  await world.close()
})

test('ticks of a long sleep are not told, only the last seconds of it', async () => {
  const { clock, world, feed, told } = await openFeed()
  feed.subscribe('me', { trades: ['AAPL'], quotes: ['AAPL'] })
  await feed.started()
  await clock.wake(later(60))
  const times = told.flatMap((news) => ('trades' in news ? news.trades.map(({ at }) => at) : []))
  assert.ok(times.length > 1)
  assert.ok(times.slice(1).every((at) => at > later(60, -6)))
  feed.close()
  await world.close()
})

test('whoever leaves hears no more, and a market that fails for a moment is asked again', async () => {
  const { clock, world, feed, told, failures } = await openFeed()
  feed.subscribe('me', { bars: ['*'], dailyBars: ['AAPL'], trades: ['*'], quotes: ['AAPL'] })
  await feed.started()
  const { bars } = world.market
  world.market.bars = async () => {
    throw new Error('the market is away')
  }
  await clock.wake(later(1))
  assert.deepEqual(failures.map(String), ['Error: the market is away'])
  world.market.bars = bars
  const before = told.length
  await clock.wake(later(2))
  assert.ok(told.slice(before).some((news) => news.channel === 'bars'))
  feed.unsubscribe('me', { bars: ['*'], dailyBars: ['AAPL'], trades: ['*'], quotes: ['AAPL'] })
  const heard = told.length
  await clock.wake(later(5))
  assert.equal(told.length, heard)
  await world.close()
})

test('one may leave while the market is away', async () => {
  const { world, feed } = await openFeed()
  feed.subscribe('me', { trades: ['*'] })
  feed.subscribe('you', { trades: ['AAPL'], bars: ['*'] })
  await feed.started()
  const { assets } = world.market
  world.market.assets = () => {
    throw new Error('the market is away')
  }
  feed.unsubscribe('me', { trades: ['*'] })
  world.market.assets = assets
  feed.close()
  await world.close()
})

test('the bar of the test symbol is made of its trades', async () => {
  const [from, symbol] = [later(7), 'FAKEPACA' as Ticker]
  const frame = { unit: 'minute', count: 1 } as const
  const minute = { symbol, frame, from, to: from, now: later(8), sort: 'asc', limit: 1 } as const
  const [bar] = await testMarket.bars(minute)
  const trades = await testMarket.trades({
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
