import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { call, openTestServer } from '../testing/server.ts'

test('every read of the past waits for the query tables up to queryTablesWaitMs, then gets 503', async (t) => {
  const server = await openTestServer({ limits: { queryTablesWaitMs: 20 } })
  t.after(() => server.close())
  const { id, storage } = server.world
  const { queryTables } = storage
  // Stopped query tables never reach the last event.
  queryTables.position = () => 0
  queryTables.reached = () => new Promise(() => undefined)
  for (const [path, key] of [
    ['/v2/orders', server.key],
    ['/v2/account/activities', server.key],
    [`/sim/v1/worlds/${id}/orders`, server.operatorKey],
    [`/sim/v1/worlds/${id}/orders/${randomUUID()}`, server.operatorKey],
    [`/sim/v1/worlds/${id}/orders/${randomUUID()}/explain`, server.operatorKey],
  ] as const) {
    const { status, body } = await call(server, `GET ${path}`, { key })
    assert.deepEqual([path, status, body.reason], [path, 503, 'queryTablesBehind'])
  }
})
