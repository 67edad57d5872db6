import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call } from '../support/broker.ts'
import { assertRefused, get, marketBuy, newWorld, placeOrder, restingBuy } from './stage.ts'

// Numbered in the order of submission, a minute apart: 0 and 3 are closed, the others are open.
const world = await newWorld()
const orders: Body[] = []
for (const order of [
  { ...marketBuy, symbol: 'AAPL', qty: '5' },
  { ...restingBuy, symbol: 'MSFT' },
  { ...restingBuy, symbol: 'AAPL', side: 'sell', limit_price: '900' },
  { ...restingBuy, symbol: 'KO' },
  { ...restingBuy, symbol: 'AAPL' },
]) {
  orders.push(await placeOrder(world, order))
  await world.advance('1m')
}
await call(world, 'DELETE', `/v2/orders/${orders[3].id}`)

const ids = orders.map(({ id }) => id)
const at = (number: number): string => orders[number].submitted_at

for (const [title, query, expected] of [
  ['no query: open orders, newest first', '', [4, 2, 1]],
  ['open', 'status=open', [4, 2, 1]],
  ['closed', 'status=closed', [3, 0]],
  ['all', 'status=all', [4, 3, 2, 1, 0]],
  ['oldest first', 'status=all&direction=asc', [0, 1, 2, 3, 4]],
  ['two at most', 'status=all&limit=2', [4, 3]],
  ['two at most, oldest first', 'status=all&limit=2&direction=asc', [0, 1]],
  ['comma-separated symbols', 'status=all&symbols=MSFT,KO', [3, 1]],
  ['repeated symbols parameters', 'status=all&symbols=MSFT&symbols=KO', [3, 1]],
  ['a symbol without orders', 'status=all&symbols=ZZZZ', []],
  ['sells', 'status=all&side=sell', [2]],
  ['buys of a symbol', 'status=all&side=buy&symbols=AAPL', [4, 0]],
  ['after a time (excluded)', `status=all&after=${at(2)}`, [4, 3]],
  ['until a time (excluded)', `status=all&until=${at(2)}`, [1, 0]],
  ['between two times', `status=all&after=${at(0)}&until=${at(4)}`, [3, 2, 1]],
  ['after a day', 'status=all&after=2026-01-05', [4, 3, 2, 1, 0]],
  ['an offset, percent-encoded', 'status=all&until=2026-01-05T16%3A01%3A30%2B01%3A00', [1, 0]],
  ['an offset whose plus became a space', 'status=all&until=2026-01-05T16:01:30+01:00', [1, 0]],
  ['another offset', 'status=all&until=2026-01-05T10:01:30-05:00', [1, 0]],
  ['before an order', `status=all&before_order_id=${ids[2]}`, [1, 0]],
  ['after an order', `status=all&after_order_id=${ids[2]}`, [4, 3]],
  ['nested, as Python writes it', 'status=all&nested=True', [4, 3, 2, 1, 0]],
  ['nested', 'status=all&nested=false', [4, 3, 2, 1, 0]],
  ['repeated asset_class parameters', 'status=all&asset_class=crypto&asset_class=us_equity', [4, 3, 2, 1, 0]],
  ['comma-separated asset classes', 'status=all&asset_class=crypto,us_equity', [4, 3, 2, 1, 0]],
  ['an asset class without orders', 'status=all&asset_class=crypto', []],
  ['an unknown parameter', 'status=all&colour=blue', [4, 3, 2, 1, 0]],
] as const)
  test(`orders, ${title}`, async () => {
    const { status, body } = await get(world, `/v2/orders?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      body.map(({ id }: Body) => ids.indexOf(id)),
      expected,
    )
  })

test('a list has the current state of each order', async () => {
  const { body } = await get(world, '/v2/orders?status=all')
  for (const order of body) assert.deepEqual(order, (await get(world, `/v2/orders/${order.id}`)).body)
  assert.deepEqual(
    body.map(({ status }: Body) => status),
    ['new', 'canceled', 'new', 'new', 'filled'],
  )
})

test('another account does not see these orders', async () => {
  const other = await newWorld()
  assert.deepEqual((await get(other, '/v2/orders?status=all')).body, [])
})

for (const [title, query, field] of [
  ['an unknown status', 'status=lost', 'status'],
  ['a limit of 0', 'limit=0', 'limit'],
  ['a limit above 500', 'limit=501', 'limit'],
  ['a limit that is not a number', 'limit=few', 'limit'],
  ['an unknown direction', 'direction=up', 'direction'],
  ['an unknown side', 'side=both', 'side'],
  ['an invalid time', 'after=yesterday', 'after'],
  ['a time without an offset', 'until=2026-01-05T15:00:00', 'until'],
  ['an invalid cursor', 'before_order_id=17', 'before_order_id'],
  ['two cursors', `before_order_id=${ids[0]}&after_order_id=${ids[0]}`, 'after_order_id'],
  ['a cursor and a time', `after_order_id=${ids[0]}&after=2026-01-05`, 'after_order_id'],
] as const)
  test(`orders with ${title}: 422, and the message names it`, async () =>
    assertRefused(await get(world, `/v2/orders?${query}`), 422, 40010001, new RegExp(field)))
