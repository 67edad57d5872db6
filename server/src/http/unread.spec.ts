import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { call, openTestServer } from './testing/server.ts'

test('a client that never reads its answers is let go', async (t) => {
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
  assert.equal((await call(server, 'GET /healthz')).status, 200)
})

test('a handler may take longer than a client may leave its answer unread', async (t) => {
  const gate = Promise.withResolvers<{ status: 'ok' }>()
  const server = await openTestServer({
    limits: { responseReadTimeoutMs: 50 },
    handlers: { getHealth: () => gate.promise },
  })
  t.after(() => server.close())
  const silences: unknown[] = []
  server.serving.server.on('timeout', () => {
    silences.push('silence')
    gate.resolve({ status: 'ok' })
  })
  assert.deepEqual((await call(server, 'GET /healthz')).body, { status: 'ok' })
  assert.equal(silences.length, 1)
})
