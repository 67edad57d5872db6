import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type CivilDate,
  type Command,
  encode,
  type Instant,
  type OrderId,
  type Price,
  type Ticker,
} from '@quipu/core'
import { worldMarket } from '../market/world-market.ts'
import { amount, buy, decided, instant, openTestWorld, type TestWorld } from './testing/world.ts'

const AAPL = 'AAPL' as Ticker

/** A world whose market can change after the driver has searched it. */
const open = (start: string): Promise<TestWorld> =>
  openTestWorld({
    start: instant(start),
    settings: { hours: 'always' },
    parts: { market: (settings, added) => worldMarket({ settings, added }) },
  })

async function execute({ world }: TestWorld, command: Command) {
  const decision = await decided(world, command)
  assert.ok(decision.ok, decision.ok ? '' : encode(decision.reason))
  await world.commands.quiet()
  return decision.value
}

async function placeOrder(testWorld: TestWorld, command: Command): Promise<OrderId> {
  const [event] = await execute(testWorld, command)
  assert.ok(event?.kind === 'orderAccepted')
  return event.order.id
}

const percentOfPrice = ({ world }: TestWorld, percent: bigint, of = 100n): Price => {
  const price = (world.market.pricesAt(world.engine.now).trade(AAPL)!.price * percent) / of
  return (price - (price % 10_000_000n)) as Price
}

test('a stop does not wait for a trade of a canceled split', async () => {
  const testWorld = await open('2026-01-07T01:00:00Z')
  const { world, clock, account } = testWorld
  await placeOrder(testWorld, buy(account, 'AAPL', '1'))
  const [scheduled] = await execute(testWorld, {
    kind: 'scheduleAction',
    symbol: AAPL,
    exDate: '2026-01-07' as CivilDate,
    terms: { kind: 'split', newRate: amount('2'), oldRate: amount('1') },
  })
  assert.ok(scheduled?.kind === 'actionScheduled')
  const stop = percentOfPrice(testWorld, 70n)
  const id = await placeOrder(testWorld, {
    ...buy(account, 'AAPL', '1'),
    side: 'sell',
    type: 'stop',
    stop,
    timeInForce: 'gtc',
  })
  await execute(testWorld, { kind: 'cancelAction', actionId: scheduled.action.id })
  await clock.advance(instant('2026-01-07T14:00:00Z'))
  assert.equal(world.view.orders.get(id)?.status, 'new')
  assert.deepEqual(testWorld.failures, [])
})

for (const [what, order] of [
  [
    'a limit',
    (testWorld: TestWorld) => ({
      ...buy(testWorld.account, 'AAPL', '1'),
      limit: percentOfPrice(testWorld, 70n),
      type: 'limit',
    }),
  ],
  [
    'a stop',
    (testWorld: TestWorld) => ({
      ...buy(testWorld.account, 'AAPL', '1'),
      side: 'sell',
      type: 'stop',
      stop: percentOfPrice(testWorld, 70n),
    }),
  ],
] as const)
  test(`${what} is reached by a crash that was added after the order was placed`, async () => {
    const testWorld = await open('2026-01-07T15:00:00Z')
    const { world, clock } = testWorld
    await placeOrder(testWorld, buy(testWorld.account, 'AAPL', '2'))
    const id = await placeOrder(testWorld, order(testWorld) as Command)
    const at = instant('2026-01-07T15:30:00Z')
    await execute(testWorld, {
      kind: 'addMarketEvent',
      marketEvent: { kind: 'crash', symbol: AAPL, at, depth: 0.5, minutes: 5, recovers: true },
    })
    await clock.advance(instant('2026-01-07T16:30:00Z'))
    const { status, filledAt } = world.view.orders.get(id)!
    assert.equal(status, 'filled')
    assert.ok(filledAt! > at && filledAt! < at + 300_000_000_000n, String(filledAt))
  })

test('a stop does not wait for a trade in a period that was halted later', async () => {
  const testWorld = await open('2026-01-07T15:00:00Z')
  const { world, clock, account } = testWorld
  await placeOrder(testWorld, buy(account, 'AAPL', '1'))
  const stop = percentOfPrice(testWorld, 1003n, 1000n)
  const span = { from: world.engine.now, to: instant('2026-01-07T20:30:00Z') }
  const search = { symbol: AAPL, direction: 'rise', price: stop, ...span } as const
  const trade = await world.market.schedule.nextTrade(search)
  assert.ok(trade, 'the price is reached')
  const id = await placeOrder(testWorld, { ...buy(account, 'AAPL', '1'), type: 'stop', stop })
  const from = (trade.at - (trade.at % 60_000_000_000n)) as Instant
  const to = (from + 600_000_000_000n) as Instant
  await execute(testWorld, {
    kind: 'addMarketEvent',
    marketEvent: { kind: 'halt', symbol: AAPL, from, to, reason: 'newsPending' },
  })
  await clock.advance((to - 1n) as Instant)
  assert.equal(world.view.orders.get(id)?.trigger?.electedAt, undefined)
  assert.equal(world.view.orders.get(id)?.status, 'new')
})
