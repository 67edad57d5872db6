import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Committed } from '@quipu/broker/journal/committed.ts'
import type { Instant } from '@quipu/core'
import { tradeUpdateOf } from '../../wire/trade-update.ts'
import { call, openTestServer } from '../testing/server.ts'
import { readingHandlers } from './index.ts'

const server = await openTestServer({ handlers: readingHandlers })
after(() => server.close())
const { key, otherKey, operatorKey, accountId, world } = server

const published: Committed[] = []
world.publisher.listen((events) => published.push(...events))
const step = () => server.clock.advance((world.engine.now + 10_000_000n) as Instant)
const framesOf = (query: string, by = operatorKey) =>
  call(server, `GET /sim/v1/worlds/lab/frames?${query}`, { key: by })
const order = { symbol: 'AAPL', qty: '2', side: 'buy', type: 'market', time_in_force: 'day' }
const place = async (body: object = order, by = key) => {
  const placed = await call(server, 'POST /v2/orders', { key: by, body })
  assert.equal(placed.status, 200, JSON.stringify(placed.body))
  await step()
  return placed
}
const idOf = ({ headers }: { headers: Headers }): string => headers.get('x-request-id')!

type Frame = { number: number; event: string; data: object }
const eventsIn = ({ body }: { body: { frames: Frame[] } }) => body.frames.map(({ event }) => event)

test('the frames of an order are the messages that its streams got', async () => {
  const { body: placed } = await place({
    ...order,
    order_class: 'bracket',
    take_profit: { limit_price: '9000' },
    stop_loss: { stop_price: '2' },
  })
  for (const { id } of [placed, ...placed.legs]) {
    const response = await framesOf(`order_id=${id}`)
    const sent = published
      .filter((committed) => committed.order?.id === id)
      .flatMap((one) => tradeUpdateOf(one) ?? [])
    assert.ok(sent.length > 0)
    assert.deepEqual(
      response.body.frames.map(({ data }: Frame) => data),
      JSON.parse(JSON.stringify(sent)),
    )
    for (const frame of response.body.frames)
      assert.deepEqual([frame.account_id, frame.order_id, frame.stream], [accountId, id, 'trade_updates'])
  }
})

test('the frames of a request and of an event', async () => {
  const placed = await place()
  const all = (await framesOf(`order_id=${placed.body.id}`)).body.frames as Frame[]
  assert.deepEqual(eventsIn({ body: { frames: all } }), ['pending_new', 'new', 'fill'])
  assert.deepEqual(eventsIn(await framesOf(`request_id=${idOf(placed)}`)), ['pending_new'])
  for (const { number, event } of all) assert.deepEqual(eventsIn(await framesOf(`number=${number}`)), [event])
  assert.deepEqual((await framesOf('number=1')).body, { frames: [] })
  const canceledAll = await call(server, 'DELETE /v2/orders', { key })
  const canceled = eventsIn(await framesOf(`request_id=${idOf(canceledAll)}`))
  assert.ok(canceled.length > 0 && canceled.every((event) => event === 'canceled'))
})

test('an account sees the frames of its own orders only', async () => {
  const placed = await place(order, otherKey)
  assert.equal((await framesOf(`order_id=${placed.body.id}`, otherKey)).body.frames.length, 3)
  assert.equal((await framesOf(`order_id=${placed.body.id}`, key)).status, 404)
  assert.deepEqual((await framesOf(`request_id=${idOf(placed)}`, key)).body, { frames: [] })
})

for (const query of ['', 'order_id=x', 'number=0', 'number=1&order_id=00000000-0000-4000-8000-000000000000'])
  test(`frames?${query} is 422`, async () => {
    assert.equal((await framesOf(query)).status, 422)
  })
