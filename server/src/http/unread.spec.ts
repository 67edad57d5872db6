import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { call, openTestServer } from './testing/server.ts'

test('a client that does not read its responses is disconnected', async (t) => {
  const server = await openTestServer({ limits: { responseReadTimeoutMs: 100 } })
  t.after(() => server.close())
  const closed = new Promise<void>((resolve) => {
    server.serving.server.once('connection', (socket) => socket.once('close', () => resolve()))
  })
  const socket = connect(server.serving.port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  socket.pause()
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(300))
  await closed
  socket.destroy()
  // On a busy machine the next client may also be slow.
  server.serving.server.timeout = 0
  assert.equal((await call(server, 'GET /healthz')).status, 200)
})

test('a handler may run longer than the read timeout of responses', async (t) => {
  const health = Promise.withResolvers<{ status: 'ok' }>()
  const server = await openTestServer({
    limits: { responseReadTimeoutMs: 50 },
    handlers: { getHealth: () => health.promise },
  })
  t.after(() => server.close())
  let timeouts = 0
  server.serving.server.on('timeout', (socket) => {
    timeouts += 1
    // On a busy machine this client may read its response late.
    socket.setTimeout(0)
    health.resolve({ status: 'ok' })
  })
  assert.deepEqual((await call(server, 'GET /healthz')).body, { status: 'ok' })
  assert.ok(timeouts > 0)
})
