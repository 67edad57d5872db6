import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { call, openTestServer, type TestServer, type TestSetup } from './testing/server.ts'

/** A server whose clock operation answers only after `release`. */
async function withSlowClock(
  setup: TestSetup = {},
): Promise<{ server: TestServer; started: Promise<void>; release: () => void }> {
  const released = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const server = await openTestServer({
    ...setup,
    handlers: {
      getClock: async () => {
        started.resolve()
        await released.promise
        return { timestamp: 't', is_open: true, next_open: 't', next_close: 't' }
      },
    },
  })
  return { server, started: started.promise, release: released.resolve }
}

const head = ({ key }: TestServer) =>
  `GET /v2/clock HTTP/1.1\r\nHost: localhost\r\nAPCA-API-KEY-ID: ${key.keyId}\r\nAPCA-API-SECRET-KEY: ${key.secretKey}\r\n\r\n`

test('a stop waits for a running request and answers it with Connection: close', async () => {
  const { server, started, release } = await withSlowClock()
  const response = call(server, 'GET /v2/clock', { key: server.key })
  await started
  const stopped = server.close()
  await assert.rejects(call(server, 'GET /healthz'), TypeError, 'a new connection is refused')
  release()
  const { status, headers } = await response
  assert.deepEqual([status, headers.get('connection')], [200, 'close'])
  await stopped
})

test('a stop closes idle connections and connections that never sent a byte', async () => {
  const server = await openTestServer({ limits: { stopGraceMs: 60_000 } })
  const silent = connect(server.serving.port, '127.0.0.1')
  await once(silent, 'connect')
  silent.on('error', () => undefined)
  const agent = new Agent({ keepAlive: true })
  const [response] = await once(
    request({ agent, port: server.serving.port, path: '/healthz' }).end(),
    'response',
  )
  await response.toArray()
  await server.close()
  agent.destroy()
})

test('a request on an open connection after the stop began: 503, nothing applied', async () => {
  const { server, started, release } = await withSlowClock()
  const socket = connect(server.serving.port, '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', (chunk) => received.push(chunk))
  socket.write(head(server))
  await started
  const stopped = server.close()
  socket.write(head(server))
  await new Promise((resolve) => setTimeout(resolve, 50))
  release()
  await once(socket, 'close')
  await stopped
  const text = Buffer.concat(received).toString()
  assert.match(text, /^HTTP\/1\.1 200/)
  assert.doesNotMatch(text.slice(1), /HTTP\/1\.1 (?!503)/)
})

test('a request that runs longer than stopGraceMs is disconnected', async () => {
  const { server, started } = await withSlowClock({ limits: { stopGraceMs: 50 } })
  const response = call(server, 'GET /v2/clock', { key: server.key })
  await started
  await Promise.all([assert.rejects(response, TypeError), server.close()])
})

test('malformed HTTP behind a running request is not answered in its place', async () => {
  const { server, started, release } = await withSlowClock()
  const socket = connect(server.serving.port, '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', (chunk) => received.push(chunk))
  socket.on('error', () => undefined)
  socket.write(head(server))
  await started
  socket.write('this is no HTTP\r\n\r\n')
  await once(socket, 'close')
  assert.equal(Buffer.concat(received).toString(), '')
  release()
  await server.close()
})

test('connections beyond the limit are dropped, and open ones keep working', async () => {
  const server = await openTestServer({ limits: { connectionsMax: 2 } })
  const sockets = [1, 2, 3].map(() => connect(server.serving.port, '127.0.0.1').on('error', () => undefined))
  await once(sockets[2]!, 'close')
  sockets[0]!.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [bytes] = await once(sockets[0]!, 'data')
  assert.match(String(bytes), /^HTTP\/1\.1 200/)
  assert.match(
    server.services.monitoring.metrics.text({ worlds: true }),
    /quipu_connections_dropped_total 1\n/,
  )
  for (const socket of sockets) socket.destroy()
  await server.close()
})
