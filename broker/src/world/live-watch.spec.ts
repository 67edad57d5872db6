import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  Auction,
  DailyAuctions,
  Instant,
  LastTrade,
  OrderId,
  PlaceOrder,
  Price,
  Quantity,
  Quote,
} from '@quipu/core'
import { SECOND, type Ticker } from '@quipu/core'
import { type MarketSource, NO_SCHEDULE } from '../market/market-source.ts'
import { syntheticMarket } from '../market/synthetic/synthetic.ts'
import { amount, buy, decided, instant, openTestWorld } from './testing/world.ts'

const AAPL = 'AAPL' as Ticker
const START = instant('2026-01-05T14:00:00Z')
const OPEN = instant('2026-01-05T14:30:00Z')

/** A live market of one symbol. The test sets its prices. */
function liveMarket() {
  const watchers = new Set<() => void>()
  const current: { quote?: Quote; trade?: LastTrade; auctions: readonly DailyAuctions[] } = { auctions: [] }
  const notify = () => {
    for (const changed of [...watchers]) changed()
  }
  const synthetic = syntheticMarket({ seed: 'live', hours: 'nyse', symbols: [AAPL] })
  const market: MarketSource = {
    assets: synthetic.assets,
    pricesAt: () => ({ quote: () => current.quote, trade: () => current.trade }),
    history: { ...synthetic.history, auctions: async () => current.auctions },
    schedule: NO_SCHEDULE,
    live: {
      follow: () => () => undefined,
      watch: (_, changed) => {
        watchers.add(changed)
        return () => watchers.delete(changed)
      },
      waitForPrice: async () => undefined,
      book: () => undefined,
    },
  }
  return {
    market: () => market,
    watchers,
    quote(at: Instant, bid: string, ask: string) {
      const size = amount<Quantity>('100')
      current.quote = { at, bid: amount<Price>(bid), ask: amount<Price>(ask), bidSize: size, askSize: size }
      notify()
    },
    trade(at: Instant, price: string) {
      current.trade = { at, price: amount<Price>(price), size: amount<Quantity>('100') }
      notify()
    },
    publishOpening(at: Instant, price: string) {
      const print = { at, price: amount<Price>(price), size: amount<Quantity>('500'), exchange: 'Q' }
      const open: Auction[] = [
        { ...print, condition: 'O' },
        { ...print, condition: 'Q' },
      ]
      current.auctions = [{ date: '2026-01-05' as never, open, close: [] }]
    },
  }
}

async function stage(start: Instant) {
  const live = liveMarket()
  live.quote(start, '99', '100')
  live.trade(start, '100')
  const testWorld = await openTestWorld({
    start,
    settings: { hours: 'nyse' },
    parts: { market: live.market },
  })
  const place = async (more: Partial<PlaceOrder>): Promise<OrderId> => {
    const decision = await decided(testWorld.world, { ...buy(testWorld.account, 'AAPL', '1'), ...more })
    assert.ok(decision.ok)
    const [event] = decision.value
    assert.ok(event?.kind === 'orderAccepted')
    return event.order.id
  }
  const status = (id: OrderId) => testWorld.world.view.orders.get(id)!.status
  return { ...testWorld, live, place, status }
}

test('in a live market a stop is triggered by the published trade', async () => {
  const { world, live, place, status, clock } = await stage(instant('2026-01-05T15:00:00Z'))
  const id = await place({ type: 'stop', stop: amount<Price>('105') })
  live.quote(world.engine.now, '105', '106')
  live.trade(world.engine.now, '104.99')
  assert.equal(status(id), 'new')
  // A trade from before the order is published late: it does not count.
  live.trade(instant('2026-01-05T14:59:00Z'), '105')
  assert.equal(status(id), 'new')
  await clock.advance((world.engine.now + SECOND) as Instant)
  live.trade(world.engine.now, '105')
  assert.equal(status(id), 'filled')
  await world.commands.quiet()
  assert.equal(live.watchers.size, 0)
})

test('a trailing stop follows published trades', async () => {
  const { world, live, place, clock } = await stage(instant('2026-01-05T15:00:00Z'))
  await place({})
  const id = await place({ side: 'sell', type: 'trailingStop', trailPrice: amount<Price>('2') })
  for (const price of ['101', '103', '102']) {
    await clock.advance((world.engine.now + SECOND) as Instant)
    live.trade(world.engine.now, price)
  }
  assert.equal(world.view.orders.get(id)!.trigger!.stop, amount<Price>('101'))
})

test('the opening print is queried until it exists, for at most a minute', async () => {
  const { world, live, place, status, clock } = await stage(START)
  const id = await place({ timeInForce: 'opg' })
  await clock.advance((OPEN + 10n * SECOND) as Instant)
  assert.equal(status(id), 'new')
  live.publishOpening((OPEN + SECOND) as Instant, '101')
  await clock.advance((OPEN + 12n * SECOND) as Instant)
  assert.equal(status(id), 'filled')
  assert.equal(world.view.orders.get(id)!.filledValue, amount('101') * amount('1'))
})

test('without a print an opening order expires', async () => {
  const { place, status, clock } = await stage(START)
  const id = await place({ timeInForce: 'opg' })
  await clock.advance((OPEN + 61n * SECOND) as Instant)
  assert.equal(status(id), 'expired')
})
