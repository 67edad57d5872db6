import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SNAPSHOT_ORDERS_MAX } from '@quipu/contract'
import type { Instant } from '@quipu/core'
import { call, openTestServer } from '../../testing/server.ts'
import { readSse } from '../testing/reading.ts'

const server = await openTestServer({ world: { fillSize: 'displayed' } })
after(() => server.close())
const { key, clock, accountId } = server
const path = `/sim/v1/worlds/lab/accounts/${accountId}/snapshot`
// biome-ignore lint/suspicious/noExplicitAny: orders as JSON
type Json = any

const place = async (symbol: string, qty: string, limit?: string): Promise<Json> => {
  const terms = limit === undefined ? { type: 'market' } : { type: 'limit', limit_price: limit }
  const body = { symbol, qty, side: 'buy', time_in_force: 'day', ...terms }
  return (await call(server, 'POST /v2/orders', { key, body })).body
}
const advance = (milliseconds: bigint) => clock.advance((clock.now() + milliseconds * 1_000_000n) as Instant)

test('a stream has the changes of open orders that are older than the newest 500', async () => {
  // It fills in parts, because each quote shows some hundred shares.
  const { id } = await place('PFE', '5000')
  for (let placed = 0; placed < SNAPSHOT_ORDERS_MAX; placed += 100)
    await Promise.all(Array.from({ length: 100 }, () => place('AAPL', '1', '1.00')))
  // Orders reach the market after a millisecond and some nanoseconds, and the first of them fills in part.
  await advance(2n)
  const stream = await readSse(server, path, key)
  const [first] = await stream.take(1)
  const orders = first!.data['orders'] as readonly Json[]
  assert.ok(orders.length === SNAPSHOT_ORDERS_MAX && orders.every(({ symbol }) => symbol === 'AAPL'))

  const read = async () => (await call(server, `GET /v2/orders/${id}`, { key })).body
  const states: Json[] = [await read()]
  const take = async (): Promise<Json> => {
    const [{ data }] = (await stream.take(1)) as [Json]
    states.push(...[...(data.orders_older ?? []), ...(data.orders_final ?? [])])
    assert.ok(states.every((order) => order.id === id))
    return data
  }
  for (let turn = 0; turn < 30 && states.at(-1)?.status !== 'filled'; turn++) {
    await advance(100n)
    const order = await read()
    const { time } = (await call(server, `GET ${path}`, { key })).body
    while ((await take()).time < time);
    assert.deepEqual(states.at(-1), order)
  }
  stream.close()
  const statuses = new Set(states.map(({ status }) => status))
  assert.deepEqual([...statuses], ['partially_filled', 'filled'])
  // A change is sent once.
  assert.equal(new Set(states.map(({ filled_qty: filled }) => filled)).size, states.length)
})
