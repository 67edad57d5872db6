import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type TestContext, test } from 'node:test'
import type { Effects } from '@quipu/broker/faults/effect.ts'
import { Faults } from '@quipu/broker/faults/faults.ts'
import type { Match } from '@quipu/broker/faults/match.ts'
import { testCertificate, testKey } from './testing/certificate.ts'
import { call, openTestServer, type TestServer, type TestSetup } from './testing/server.ts'

/** A server whose world has one fault rule. */
async function serverWith(
  t: TestContext,
  effect: Effects['request'],
  match: Match = {},
  setup: TestSetup = {},
) {
  const server = await openTestServer(setup)
  t.after(() => server.close())
  server.world.clients.faults = new Faults('seed')
  const rule = server.world.clients.faults.create(
    { on: 'request', match, effect, times: 1 },
    server.clock.now(),
  )
  return { server, rule }
}

/** More than any account can buy. */
const order = { symbol: 'AAPL', qty: '1000000000', side: 'buy', type: 'market', time_in_force: 'day' }

/** Sends a request and collects all bytes of the response until the connection ends. */
const bytesOf = ({ url, key }: TestServer, method: string, path: string, body = '') =>
  new Promise<{ head: string; body: string; error: string | undefined }>((resolve) => {
    const send = url.startsWith('https') ? httpsRequest : httpRequest
    let received = ''
    const sent = send(url + path, {
      method,
      rejectUnauthorized: false,
      headers: { 'apca-api-key-id': key.keyId, 'apca-api-secret-key': key.secretKey },
    })
    sent.on('error', (error) => resolve({ head: '', body: received, error: error.message }))
    sent.on('response', (response) => {
      const head = `${response.statusCode} ${response.headers['content-length']}`
      response.on('data', (bytes: Buffer) => (received += bytes))
      response.on('error', (error) => resolve({ head, body: received, error: error.message }))
      response.on('end', () => resolve({ head, body: received, error: undefined }))
    })
    sent.end(body)
  })

test('a truncated body has the length of the full one, and ends in the middle', async (t) => {
  const { server, rule } = await serverWith(t, { kind: 'truncated' }, { nth: 2 })
  const full = await bytesOf(server, 'GET', '/v2/account')
  assert.equal(full.error, undefined)
  const half = await bytesOf(server, 'GET', '/v2/account')
  assert.deepEqual(half, {
    head: full.head,
    body: full.body.slice(0, full.body.length / 2),
    error: 'aborted',
  })
  assert.equal(rule.consumed, 1)
})

test('without a body there is nothing to truncate, so no response arrives', async (t) => {
  const { server } = await serverWith(t, { kind: 'truncated' }, { operation: ['cancelOrder'] })
  const resting = { ...order, qty: '1', type: 'limit', limit_price: '1' }
  const { body } = await bytesOf(server, 'POST', '/v2/orders', JSON.stringify(resting))
  const canceled = await bytesOf(server, 'DELETE', `/v2/orders/${JSON.parse(body).id}`)
  assert.deepEqual(canceled, { head: '', body: '', error: 'socket hang up' })
})

test('a truncated event stream ends after its headers', async (t) => {
  const { server } = await serverWith(t, { kind: 'truncated' })
  const { head, body } = await bytesOf(server, 'GET', '/v2/events/trades')
  assert.deepEqual([head, body], ['200 undefined', ''])
})

test('a connection with TLS is reset as well', async (t) => {
  const { server } = await serverWith(
    t,
    { kind: 'reset', applied: false },
    {},
    { binding: { tls: { key: testKey, cert: testCertificate } } },
  )
  assert.equal((await bytesOf(server, 'GET', '/v2/account')).error, 'read ECONNRESET')
  assert.equal((await bytesOf(server, 'GET', '/v2/account')).error, undefined)
})

test('a fault of one request leaves the other requests of its connection alone', async (t) => {
  const { server } = await serverWith(
    t,
    { kind: 'delay', ms: 50, applied: false },
    { operation: ['getClock'] },
  )
  const slow = call(server, 'GET /v2/clock', { key: server.key })
  const fast = await call(server, 'GET /v2/account', { key: server.key })
  assert.deepEqual([fast.status, fast.headers.get('x-quipu-fault')], [200, null])
  const { status, headers } = await slow
  assert.deepEqual([status, headers.get('x-quipu-fault')], [200, '1'])
})

test('a refused order meets its fault too, and a world that was deleted meanwhile gets 503', async (t) => {
  const { server, rule } = await serverWith(t, { kind: 'answerLost' })
  assert.equal((await bytesOf(server, 'POST', '/v2/orders', JSON.stringify(order))).error, 'socket hang up')
  assert.equal(rule.consumed, 1)
  const delay = server.world.clients.faults!.create(
    { on: 'request', match: {}, effect: { kind: 'delay', ms: 50, applied: false }, times: 1 },
    server.clock.now(),
  )
  const late = call(server, 'POST /v2/orders', { key: server.key, body: { ...order, qty: '1' } })
  while (delay.consumed === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  await server.services.worlds.lifecycle.delete(server.world.id)
  assert.equal((await late).status, 503)
})
