import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CivilDate, fromNewYork, type Instant, type MarketEvent, type Ticker } from '@quipu/core'
import { buy, decided, openTestWorld, type TestWorld } from '../world/testing/world.ts'
import { syntheticMarket } from './synthetic/synthetic.ts'

const DATE = '2026-11-13' as CivilDate
const at = (minute: number): Instant => fromNewYork(DATE, minute)
const KO = 'KO' as Ticker

const worldWith = (marketEvents: readonly MarketEvent[], start: Instant): Promise<TestWorld> =>
  openTestWorld({ start, parts: { market: (settings) => syntheticMarket({ ...settings, marketEvents }) } })

const orderOf = ({ world }: TestWorld) => [...world.view.orders.values()].at(-1)!

test('a market order in a halt waits, and fills at the first trade after it', async () => {
  const halt: MarketEvent = { kind: 'halt', symbol: KO, from: at(600), to: at(620), reason: 'newsPending' }
  const made = await worldWith([halt], at(605))
  const decision = await decided(made.world, buy(made.account, KO, '3'))
  assert.ok(decision.ok)
  const { id } = orderOf(made)
  const status = () => made.world.view.orders.get(id)?.status
  await made.clock.advance((at(620) - 1n) as Instant)
  assert.equal(status(), 'new')
  await made.clock.advance(at(625))
  assert.equal(status(), 'filled')
  const { filledAt } = made.world.view.orders.get(id)!
  const [first] = await made.world.market.history.trades({
    symbol: KO,
    from: at(620),
    to: at(625),
    now: at(625),
    sort: 'asc',
    limit: 1,
  })
  assert.ok(filledAt! >= first!.at && filledAt! < first!.at + 1000n)
  assert.deepEqual(made.failures, [])
})

test('a resting order fills at a price that only a crash reaches', async () => {
  const crash: MarketEvent = { kind: 'crash', at: at(600), depth: 0.3, minutes: 10, recovers: true }
  const made = await worldWith([crash], at(590))
  const { bid } = made.world.market.pricesAt(at(590)).quote(KO)!
  const limit = (Number((bid * 80n) / 100n / 10_000_000n) / 100).toFixed(2)
  assert.ok((await decided(made.world, buy(made.account, KO, '3', limit))).ok)
  const { id } = orderOf(made)
  await made.clock.advance(at(600))
  assert.equal(made.world.view.orders.get(id)?.status, 'new')
  await made.clock.advance(at(610))
  assert.equal(made.world.view.orders.get(id)?.status, 'filled')
  assert.deepEqual(made.failures, [])
})

test('a crypto pair accepts gtc orders and refuses day orders', async () => {
  const made = await worldWith([], at(600))
  const { ok } = await decided(made.world, { ...buy(made.account, 'BTC/USD', '0.5'), timeInForce: 'gtc' })
  assert.ok(ok)
  const { quantity } = made.world.view.positions.get(made.account.id)!.get('BTC/USD' as never)!
  assert.ok(quantity > 490_000_000n && quantity <= 500_000_000n)
  const day = await decided(made.world, buy(made.account, 'BTC/USD', '0.5'))
  assert.equal(day.ok, false)
})
