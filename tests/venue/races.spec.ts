import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@alpacahq/alpaca-trade-api'
import { open } from './stage.ts'

/** A limit that the market of this seed reaches within the next minutes, and one far below. */
const resting = { symbol: 'AAPL', side: 'buy', qty: '10', limitPrice: '10' } as const
const exactly = (duration: string) => ({ min: duration, max: duration })

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
