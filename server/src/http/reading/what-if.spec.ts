import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Instant } from '@quipu/core'
import { HistoryThreads } from '../../history/threads.ts'
import { call, openTestServer } from '../testing/server.ts'
import { readingHandlers } from './index.ts'

const history = new HistoryThreads(1, {}, { warn: assert.fail, error: assert.fail })
const server = await openTestServer({ handlers: readingHandlers, market: { history } })
after(async () => {
  await server.close()
  await history.close()
})
const { key, otherKey, operatorKey } = server

const step = (seconds: number) =>
  server.clock.advance((server.world.engine.now + BigInt(seconds) * 1_000_000_000n) as Instant)
const whatIf = (id: string, query = '', by = operatorKey, list = 'orders') =>
  call(server, `GET /sim/v1/worlds/lab/${list}/${id}/what-if${query}`, { key: by })
const place = (fields: object, by = key) =>
  call(server, 'POST /v2/orders', {
    key: by,
    body: { symbol: 'AAPL', qty: '2', side: 'buy', type: 'limit', time_in_force: 'day', ...fields },
  })
const get = async (id: string, by = otherKey) =>
  (await call(server, `GET /v2/orders/${id}`, { key: by })).body

test('each fill is the one that an order with this limit has at the same time', async () => {
  const { body: order } = await place({ limit_price: '1' })
  const quote = server.world.market.pricesAt(server.world.engine.latest).quote('AAPL' as never)!
  const limits = [1, 0.9995, 0.999, 0.998, 0.997, 0.99].map((part) =>
    ((Number(quote.ask) / 1e9) * part).toFixed(2),
  )
  const placed = []
  for (const limit_price of limits) placed.push((await place({ limit_price }, otherKey)).body)
  await step(3600)
  const ladder = (await whatIf(order.id)).body.fills
  assert.equal(ladder[0].outcome, 'filled')
  assert.equal(ladder.at(-1).limit_price, '1')
  const { body } = await whatIf(order.id, `?limit_prices=${limits.join()}`)
  const actual = []
  for (const { id } of placed) actual.push(await get(id))
  assert.ok(actual.some(({ status }) => status === 'filled'))
  assert.deepEqual(
    body.fills.map((fill: Fill) => [
      fill.outcome,
      fill.filled_qty,
      fill.filled_avg_price,
      milliOf(fill.last_at),
    ]),
    actual.map(({ status, filled_qty, filled_avg_price, filled_at }) =>
      status === 'filled'
        ? ['filled', filled_qty, filled_avg_price, milliOf(filled_at)]
        : ['not_filled', '0', undefined, undefined],
    ),
  )
  assert.deepEqual([body.exact, body.complete, body.qty, body.limit_price], [true, true, '2', '1'])
})
/** Events of one instant differ in their nanoseconds. */
const milliOf = (at?: string) => at?.slice(0, 23)
type Fill = Record<'limit_price' | 'outcome' | 'filled_qty' | 'filled_avg_price' | 'last_at', string>

test('a refused order has the fills that it would have had', async () => {
  const refused = await place({ qty: '1000000', limit_price: '100000' })
  assert.equal(refused.status, 403)
  await step(1)
  const { body } = await whatIf(refused.headers.get('x-request-id')!, '?limit_prices=100000', key, 'requests')
  assert.deepEqual([body.fills[0].outcome, body.fills[0].filled_qty], ['filled', '1000000'])
})

test('an order that waits for an auction or its stop has no fills, and the reason', async () => {
  const stop = await place({ type: 'stop', stop_price: '100000', side: 'buy' })
  const auction = await place({ type: 'market', time_in_force: 'cls' })
  for (const [{ body: order }, unavailable] of [
    [stop, 'stop'],
    [auction, 'auction'],
  ] as const) {
    const { body } = await whatIf(order.id, '?limit_prices=1')
    assert.deepEqual([body.unavailable, body.fills, body.complete], [unavailable, [], true], order.type)
  }
})

test('it changes nothing, and another account does not see it', async () => {
  const { body: order } = await place({ limit_price: '1' })
  const before = server.world.storage.journal.head()
  assert.equal((await whatIf(order.id, '', key)).status, 200)
  assert.deepEqual(server.world.storage.journal.head(), before)
  assert.equal((await whatIf(order.id, '', otherKey)).status, 404)
  assert.equal((await whatIf('0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11')).status, 404)
  assert.equal((await whatIf('f'.repeat(32), '', key, 'requests')).status, 404)
})

for (const [prices, problem] of [
  ['x', /limit_prices/],
  ['0', /limit_prices/],
  ['1.23456', /limit_prices/],
  [Array.from({ length: 101 }, (_, at) => at + 1).join(), /limit_prices/],
] as const)
  test(`limit_prices=${prices.slice(0, 20)}: 422`, async () => {
    const { body: order } = await place({ limit_price: '1' })
    const { status, body } = await whatIf(order.id, `?limit_prices=${prices}`)
    assert.equal(status, 422)
    assert.match(body.message, problem)
  })
