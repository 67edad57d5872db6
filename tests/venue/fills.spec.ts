import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@alpacahq/alpaca-trade-api'
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

/** A limit that the market of this seed reaches within the next minutes, and one far below. */
const resting = { symbol: 'AAPL', side: 'buy', qty: '10', limitPrice: '10' } as const

test('the official SDK sees a cancel that loses the race: the order fills while the cancel is pending', async () => {
  const { world, orders, updatesOf } = await open({
    venue: { latency: exactly('1s'), cancel_latency: exactly('5s') },
  })
  const { id } = await orders.market({ symbol: 'AAPL', side: 'buy', qty: '1' })
  await orders.deleteOrderByOrderID({ orderId: id! })
  assert.equal((await orders.getOrderByOrderID({ orderId: id! })).status, 'pending_cancel')
  await assert.rejects(orders.deleteOrderByOrderID({ orderId: id! }), (error) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.status, error.message], [422, 'order is already in "pending_cancel" state'])
    return true
  })
  await world.advance('10s')
  assert.deepEqual(await updatesOf(id, 'fill'), ['pending_new', 'pending_cancel', 'new', 'fill'])
  assert.equal((await orders.getOrderByOrderID({ orderId: id! })).status, 'filled')
})

test('a cancel that wins ends the order after its latency; a rejected cancel leaves it as it was', async () => {
  for (const [share, end, status] of [
    [0, 'canceled', 'canceled'],
    [1, 'order_cancel_rejected', 'new'],
  ] as const) {
    const { world, orders, updatesOf } = await open({
      venue: { cancel_latency: exactly('5s'), cancel_reject_share: share },
    })
    const { id } = await orders.limit(resting)
    await orders.deleteOrderByOrderID({ orderId: id! })
    await world.advance('5s')
    assert.deepEqual(await updatesOf(id, end), ['pending_new', 'new', 'pending_cancel', end])
    assert.equal((await orders.getOrderByOrderID({ orderId: id! })).status, status)
  }
})

test('a replacement is pending for its latency; both orders exist, and the larger one is held', async () => {
  const { world, alpaca, orders, updatesOf } = await open({ venue: { replace_latency: exactly('5s') } })
  const { id } = await orders.limit(resting)
  const replacement = await orders.patchOrderByOrderId({ orderId: id!, patchOrderRequest: { qty: '30' } })
  assert.deepEqual([replacement.status, replacement.replaces], ['pending_new', id])
  assert.equal((await orders.getOrderByOrderID({ orderId: id! })).status, 'pending_replace')
  assert.equal((await alpaca.trading.account.getAccount()).buyingPower, '399700')
  await world.advance('5s')
  assert.deepEqual(await updatesOf(id, 'replaced'), ['pending_new', 'new', 'pending_replace', 'replaced'])
  assert.deepEqual(await updatesOf(replacement.id, 'new'), ['pending_new', 'new'])
  assert.equal((await orders.getOrderByOrderID({ orderId: id! })).replacedBy, replacement.id)
})

test('a rejected replacement leaves the old order as it was, and the new one is rejected', async () => {
  const { orders, updatesOf } = await open({ venue: { replace_reject_share: 1 } })
  const { id } = await orders.limit(resting)
  const replacement = await orders.patchOrderByOrderId({ orderId: id!, patchOrderRequest: { qty: '30' } })
  assert.deepEqual(await updatesOf(id, 'order_replace_rejected'), [
    'pending_new',
    'new',
    'pending_replace',
    'order_replace_rejected',
  ])
  assert.deepEqual(await updatesOf(replacement.id, 'rejected'), ['pending_new', 'rejected'])
  const { status, qty, replacedBy } = await orders.getOrderByOrderID({ orderId: id! })
  assert.deepEqual([status, qty, replacedBy], ['new', '10', undefined])
})

const explain = async (world: string, id: string | undefined) =>
  (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world}/orders/${id}/explain`)).body

test('the official SDK sees a late acknowledgement: pending_new until the seeded latency is over', async () => {
  const venue = { latency: { min: '2s', max: '4s', shape: 'long_tail' } }
  const { world, orders, updatesOf } = await open({ venue })
  const placed = await orders.market({ symbol: 'AAPL', side: 'buy', qty: '3' })
  assert.equal(placed.status, 'pending_new')
  await world.advance('1999ms')
  assert.equal((await orders.getOrderByOrderID({ orderId: placed.id! })).status, 'pending_new')
  await world.advance('2001ms')
  assert.deepEqual(await updatesOf(placed.id, 'fill'), ['pending_new', 'new', 'fill'])
  const { body } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}`)
  assert.deepEqual(body.venue, { latency: { min: '2000ms', max: '4000ms', shape: 'long_tail' } })
})

test('the official SDK sees a rejected order, with failed_at, and its hold is released', async () => {
  const { world, alpaca, orders, update, updatesOf } = await open({ venue: { reject_share: 1 } })
  const placed = await orders.limit({ symbol: 'AAPL', side: 'buy', qty: '3', limitPrice: '10' })
  assert.equal(placed.status, 'pending_new')
  const { order } = await update(placed.id, 'rejected')
  assert.deepEqual(await updatesOf(placed.id, 'rejected'), ['pending_new', 'rejected'])
  assert.equal(order.status, 'rejected')
  const rejected = await orders.getOrderByOrderID({ orderId: placed.id! })
  assert.equal(rejected.status, 'rejected')
  assert.ok(rejected.failedAt)
  assert.equal((await alpaca.trading.account.getAccount()).buyingPower, '400000')
  const { outcome, steps } = await explain(world.world, placed.id)
  const last = steps.at(-1)
  assert.deepEqual([outcome, last.code, last.numbers.share], ['rejected', 'rejected', '1'])
  assert.match(last.sentence, /^The market rejected it: the seeded draw 0\.\d+ is below the share 1\.$/)
})

test('invalid settings of a venue are refused with the name of the field', async () => {
  const refused = async (venue: unknown) =>
    (await callAsOperator(broker, 'POST', '/sim/v1/worlds', { venue })).body.message
  assert.match(await refused({ reject_share: '1.1' }), /venue\.reject_share/)
  assert.match(await refused({ reject_share: '0.1234567' }), /venue\.reject_share/)
  assert.match(await refused({ latency: { min: '2s', max: '1s' } }), /venue\.latency\.min/)
  assert.match(await refused({ latency: { max: '25h' } }), /venue\.latency\.max/)
  assert.match(await refused({ latency: '1s' }), /venue\.latency/)
})
