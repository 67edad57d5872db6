import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call } from '../broker.ts'
import { assertRefused, get, marketBuy, placed, restingBuy, world } from './stage.ts'

// Numbered as they were submitted, a minute apart: 0 and 3 end, the others stay open.
const own = await world()
const orders: Body[] = []
for (const order of [
  { ...marketBuy, symbol: 'AAPL', qty: '5' },
  { ...restingBuy, symbol: 'MSFT' },
  { ...restingBuy, symbol: 'AAPL', side: 'sell', limit_price: '900' },
  { ...restingBuy, symbol: 'KO' },
  { ...restingBuy, symbol: 'AAPL' },
]) {
  orders.push(await placed(own, order))
  await own.advance('1m')
}
await call(own, 'DELETE', `/v2/orders/${orders[3].id}`)

const ids = orders.map(({ id }) => id)
const at = (number: number): string => orders[number].submitted_at

for (const [given, query, then] of [
  ['nothing asked: the open ones, newest first', '', [4, 2, 1]],
  ['open', 'status=open', [4, 2, 1]],
  ['closed', 'status=closed', [3, 0]],
  ['all', 'status=all', [4, 3, 2, 1, 0]],
  ['oldest first', 'status=all&direction=asc', [0, 1, 2, 3, 4]],
  ['two at most', 'status=all&limit=2', [4, 3]],
  ['two at most, oldest first', 'status=all&limit=2&direction=asc', [0, 1]],
  ['symbols apart by commas', 'status=all&symbols=MSFT,KO', [3, 1]],
  ['symbols under a repeated key', 'status=all&symbols=MSFT&symbols=KO', [3, 1]],
  ['a symbol nobody has', 'status=all&symbols=ZZZZ', []],
  ['sells', 'status=all&side=sell', [2]],
  ['buys of a symbol', 'status=all&side=buy&symbols=AAPL', [4, 0]],
  ['after an instant, which is not included', `status=all&after=${at(2)}`, [4, 3]],
  ['until an instant, which is not included', `status=all&until=${at(2)}`, [1, 0]],
  ['between two', `status=all&after=${at(0)}&until=${at(4)}`, [3, 2, 1]],
  ['after a day', 'status=all&after=2026-01-05', [4, 3, 2, 1, 0]],
  ['an offset, percent-encoded', 'status=all&until=2026-01-05T16%3A01%3A30%2B01%3A00', [1, 0]],
  ['an offset whose plus became a space', 'status=all&until=2026-01-05T16:01:30+01:00', [1, 0]],
  ['another offset', 'status=all&until=2026-01-05T10:01:30-05:00', [1, 0]],
  ['before an order', `status=all&before_order_id=${ids[2]}`, [1, 0]],
  ['after an order', `status=all&after_order_id=${ids[2]}`, [4, 3]],
  ['nested, as Python writes it', 'status=all&nested=True', [4, 3, 2, 1, 0]],
  ['nested', 'status=all&nested=false', [4, 3, 2, 1, 0]],
  [
    'asset classes under a repeated key',
    'status=all&asset_class=crypto&asset_class=us_equity',
    [4, 3, 2, 1, 0],
  ],
  ['asset classes apart by commas', 'status=all&asset_class=crypto,us_equity', [4, 3, 2, 1, 0]],
  ['a class nothing was traded of', 'status=all&asset_class=crypto', []],
  ['a key nobody knows', 'status=all&colour=blue', [4, 3, 2, 1, 0]],
] as const)
  test(`orders, ${given}`, async () => {
    const { status, body } = await get(own, `/v2/orders?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      body.map(({ id }: Body) => ids.indexOf(id)),
      then,
    )
  })

test('a list shows orders as they are now, each as it is read alone', async () => {
  const { body } = await get(own, '/v2/orders?status=all')
  for (const order of body) assert.deepEqual(order, (await get(own, `/v2/orders/${order.id}`)).body)
  assert.deepEqual(
    body.map(({ status }: Body) => status),
    ['new', 'canceled', 'new', 'new', 'filled'],
  )
})

test('another account sees none of them', async () => {
  const other = await world()
  assert.deepEqual((await get(other, '/v2/orders?status=all')).body, [])
})

for (const [given, query, field] of [
  ['a status nobody has', 'status=lost', 'status'],
  ['a limit of none', 'limit=0', 'limit'],
  ['a limit beyond 500', 'limit=501', 'limit'],
  ['a limit that is no number', 'limit=few', 'limit'],
  ['a direction nobody has', 'direction=up', 'direction'],
  ['a side nobody has', 'side=both', 'side'],
  ['an instant that is none', 'after=yesterday', 'after'],
  ['an instant without an offset', 'until=2026-01-05T15:00:00', 'until'],
  ['a cursor that is no id', 'before_order_id=17', 'before_order_id'],
  ['two cursors', `before_order_id=${ids[0]}&after_order_id=${ids[0]}`, 'after_order_id'],
  ['a cursor and an instant', `after_order_id=${ids[0]}&after=2026-01-05`, 'after_order_id'],
] as const)
  test(`orders with ${given}: 422, and the message names it`, async () =>
    assertRefused(await get(own, `/v2/orders?${query}`), 422, 40010001, new RegExp(field)))
