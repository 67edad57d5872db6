import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, callAsOperator } from '../support/broker.ts'
import { broker, open } from './stage.ts'

const exactly = (duration: string) => ({ min: duration, max: duration })
type Opened = Awaited<ReturnType<typeof open>>

const order = ({ orders }: Opened, id: string | undefined) => orders.getOrderByOrderID({ orderId: id! })
const steps = async ({ world }: Opened, id: string | undefined, code: string) => {
  const path = `/sim/v1/worlds/${world.world}/orders/${id}/explain`
  const { body } = await callAsOperator(broker, 'GET', path)
  return body.steps.filter((step: { code: string }) => step.code === code)
}

test('the official SDK sees an order fill in pieces over time', async () => {
  const opened = await open({ venue: { fill_pieces: { min: 3, max: 3 }, fill_interval: exactly('10s') } })
  const { world, orders, updatesOf } = opened
  const { id } = await orders.market({ symbol: 'AAPL', side: 'buy', qty: '90' })
  assert.equal((await order(opened, id)).status, 'partially_filled')
  await world.advance('9s')
  const first = Number((await order(opened, id)).filledQty)
  assert.ok(first >= 15 && first <= 45, `${first}`)
  await world.advance('12s')
  assert.deepEqual(await updatesOf(id, 'fill'), [
    'pending_new',
    'new',
    'partial_fill',
    'partial_fill',
    'fill',
  ])
  assert.equal((await order(opened, id)).filledQty, '90')
  const [filled] = await steps(opened, id, 'filled')
  assert.equal(filled.numbers.pieces_left, '2')
})

test('participation: all fills of a minute are at most a share of its volume', async () => {
  const opened = await open({ start: '2026-01-05T15:00:00Z', venue: { participation: '0.01' } })
  const { world, orders, updatesOf } = opened
  const { id } = await orders.market({ symbol: 'KO', side: 'buy', qty: '2000' })
  await world.advance('1h')
  await updatesOf(id, 'fill')
  const fills = await steps(opened, id, 'filled')
  assert.ok(fills.length > 1, 'more than one minute is needed')
  const bars = await call(
    world,
    'GET',
    '/v2/stocks/KO/bars?timeframe=1Min&start=2026-01-05T15:00:00Z&limit=60',
  )
  const volumes = new Map(bars.body.bars.map(({ t, v }: { t: string; v: number }) => [t.slice(0, 16), v]))
  for (const { at, numbers } of fills) {
    assert.equal(Number(numbers.minute_volume), volumes.get(at.slice(0, 16)))
    assert.ok(Number(numbers.qty) <= Number(numbers.minute_volume) / 100)
  }
})

test('impact: a large order pays more than the ask, never more than its limit', async () => {
  const opened = await open({ cash: '1000000', venue: { impact_basis_points: 2 } })
  const { orders } = opened
  const { id } = await orders.market({ symbol: 'AAPL', side: 'buy', qty: '900' })
  const [fill] = await steps(opened, id, 'filled')
  const { price, ask, ask_size: displayed } = fill.numbers
  const moved = Number(ask) * (1 + (2 / 10_000) * Math.min(900 / Number(displayed), 500))
  assert.ok(Math.abs(Number(price) - moved) <= 0.011, `${price} and ${moved}`)
  assert.match(fill.sentence, /worse than the ask/)
  const limited = await orders.limit({ symbol: 'AAPL', side: 'buy', qty: '900', limitPrice: ask })
  assert.equal((await order(opened, limited.id)).filledAvgPrice, ask)
})

test('the official SDK sees done_for_day, and the order works again in the next session', async () => {
  const opened = await open({ start: '2026-01-05T15:00:00Z', venue: { done_for_day_share: 1 } })
  const { world, orders, updatesOf } = opened
  const resting = { symbol: 'AAPL', side: 'buy', qty: '1', limitPrice: '10' } as const
  const { id } = await orders.limit({ ...resting, timeInForce: 'gtc' })
  const day = await orders.limit(resting)
  await world.advance('5h59m59s')
  assert.equal((await order(opened, id)).status, 'done_for_day')
  await world.advance('12h1s')
  assert.equal((await order(opened, id)).status, 'new')
  assert.deepEqual(await updatesOf(id, 'done_for_day'), ['pending_new', 'new', 'done_for_day', 'new'])
  assert.deepEqual(await updatesOf(day.id, 'expired'), ['pending_new', 'new', 'done_for_day', 'expired'])
})
