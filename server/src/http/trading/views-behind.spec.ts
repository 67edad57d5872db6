import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, openTestServer } from '../testing/server.ts'

test('a history query waits for the views up to viewsWaitMs, then gets 503', async (t) => {
  const server = await openTestServer({ limits: { viewsWaitMs: 20 } })
  t.after(() => server.close())
  const { views } = server.world
  // Stopped views never reach the last event.
  views.position = () => 0
  views.reached = () => new Promise(() => undefined)
  const { status, body } = await call(server, 'GET /v2/orders', { key: server.key })
  assert.deepEqual([status, body.reason], [503, 'viewsBehind'])
})
