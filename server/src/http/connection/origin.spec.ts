import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import type { KeyPair } from '@quipu/broker/access/issue-keys.ts'
import { oauthHandlers } from '../oauth/oauth.ts'
import type { Upgrade } from '../serve.ts'
import { openTestServer, type TestServer } from '../testing/server.ts'

let server: TestServer
/** A server that allows pages of one other origin. */
let open: TestServer
const upgrade: Upgrade = (_, socket) =>
  void socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
before(async () => {
  server = await openTestServer({ upgrade, handlers: oauthHandlers })
  open = await openTestServer({ upgrade, settings: { cors: ['https://app.example'] } })
})
after(async () => {
  await server.close()
  await open.close()
})

type Headers = Record<string, string>
const keyHeaders = ({ keyId, secretKey }: KeyPair): Headers => ({
  'APCA-API-KEY-ID': keyId,
  'APCA-API-SECRET-KEY': secretKey,
})

/** Uses node:http because `fetch` adds headers. */
const send = (
  to: TestServer,
  method: string,
  path: string,
  headers: Headers,
  body = '',
): Promise<[number, Headers]> =>
  new Promise((resolve, reject) => {
    const sent = request(`${to.serving.url}${path}`, { method, headers }, (response) => {
      response.resume()
      resolve([response.statusCode ?? 0, response.headers as Headers])
    })
    sent.on('error', reject).end(body)
  })

const CROSS: Headers = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
const rows: readonly (readonly [string, Headers, number])[] = [
  // sent by                                   headers                                             response
  ['a client other than a browser', {}, 404],
  ['a page of another site', CROSS, 403],
  ['a page of another port', { 'Sec-Fetch-Site': 'same-site', Origin: 'http://127.0.0.1:1' }, 403],
  ['a form without a referrer, of another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'null' }, 403],
  ['a page of another site over plain http', { Origin: 'http://evil.example' }, 403],
  ['a page without an origin over plain http', { Origin: 'null' }, 403],
  ['a page of ours', { 'Sec-Fetch-Site': 'same-origin', Origin: 'http://quipu.localhost:1' }, 404],
  ['a page of ours over plain http', { Origin: 'http://OURSELVES' }, 404],
  ['a reload of the page', { 'Sec-Fetch-Site': 'none' }, 404],
]
for (const [sender, headers, expected] of rows)
  test(`${sender}: ${expected}`, async () => {
    const origin = `http://127.0.0.1:${server.serving.port}`
    const sent = headers['Origin'] === 'http://OURSELVES' ? { Origin: origin } : headers
    const account = keyHeaders(server.key)
    const [status] = await send(server, 'DELETE', '/v2/positions/AAPL', { ...account, ...sent })
    assert.equal(status, expected)
    const [read] = await send(server, 'GET', '/v2/account', { ...account, ...sent })
    assert.equal(read, 200, 'reading is allowed: a page of another origin cannot see the response')
    const stream = { Connection: 'Upgrade', Upgrade: 'websocket', ...sent }
    assert.equal((await send(server, 'GET', '/stream', stream))[0], expected === 403 ? 403 : 200)
  })

test('an origin that QUIPU_CORS allows may send any request', async () => {
  const sent = { ...CROSS, Origin: 'https://app.example' }
  const [status] = await send(open, 'DELETE', '/v2/positions/AAPL', { ...keyHeaders(open.key), ...sent })
  assert.equal(status, 404)
  const stream = { Connection: 'Upgrade', Upgrade: 'websocket' }
  assert.equal((await send(open, 'GET', '/stream', { ...stream, ...sent }))[0], 200)
  assert.equal((await send(open, 'GET', '/stream', { ...stream, ...CROSS }))[0], 403)
})

test('a browser gets no Basic challenge, because it would store the key', async () => {
  const token = { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: 'Basic eDp5' }
  for (const [method, path, headers, body] of [
    ['GET', '/v2/account', {}, ''],
    ['POST', '/oauth/token', token, 'grant_type=authorization_code&code=x&redirect_uri=https://x.example'],
  ] as const) {
    const challenges = async (more: Headers) =>
      (await send(server, method, path, { ...headers, ...more }, body))[1]['www-authenticate'] ?? ''
    assert.match(await challenges({}), /Basic/)
    assert.match(await challenges({ 'Sec-Fetch-Mode': 'cors' }), /Basic/, "Node's fetch is not a browser")
    assert.doesNotMatch(await challenges({ 'Sec-Fetch-Mode': 'navigate' }), /Basic/)
    const script = { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Site': 'same-origin' }
    assert.doesNotMatch(await challenges(script), /Basic/)
  }
})
