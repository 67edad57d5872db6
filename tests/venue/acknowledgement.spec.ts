import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callAsOperator } from '../support/broker.ts'
import { broker, open } from './stage.ts'

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
