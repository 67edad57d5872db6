import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, openTestServer } from '../testing/server.ts'

test('a history query waits for the views as long as its limit says, then: 503', async (t) => {
  const server = await openTestServer({ limits: { viewsWaitMs: 20 } })
  t.after(() => server.close())
  const { views } = server.world
  // Views that have stopped: they never reach what is asked for.
  views.position = () => 0
  views.reached = () => new Promise(() => undefined)
  const { status, body } = await call(server, 'GET /v2/orders', { key: server.key })
  assert.deepEqual([status, body.reason], [503, 'viewsBehind'])
})
