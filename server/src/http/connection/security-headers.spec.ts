import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { testCertificate, testKey } from '../testing/certificate.ts'
import { openTestServer, type TestServer } from '../testing/server.ts'

let plain: TestServer
let secure: TestServer
before(async () => {
  const handlers = {
    getPosition: () => {
      throw new Error('a bug, on purpose')
    },
  }
  const upgrade = (): void => assert.fail('every upgrade of this test is refused')
  plain = await openTestServer({ handlers, upgrade })
  secure = await openTestServer({
    handlers,
    upgrade,
    binding: { tls: { key: testKey, cert: testCertificate } },
  })
})
after(async () => {
  await plain.close()
  await secure.close()
})

const key = ({ key: { keyId, secretKey } }: TestServer) =>
  `APCA-API-KEY-ID: ${keyId}\r\nAPCA-API-SECRET-KEY: ${secretKey}\r\n`
const get = (path: string) => (server: TestServer) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${key(server)}Connection: close\r\n\r\n`

const requests: readonly (readonly [title: string, status: number, text: (server: TestServer) => string])[] =
  [
    ['account data', 200, get('/v2/account')],
    ['a page of market data', 200, get('/v2/stocks/bars?symbols=AAPL&timeframe=1Day&start=2026-10-01')],
    ['the front page', 200, get('/')],
    ['OpenAPI', 200, get('/openapi.json')],
    ['a route that does not exist', 404, get('/nope')],
    ['a wrong parameter', 422, get('/v2/orders?limit=x')],
    ['a bug', 500, get('/v2/positions/AAPL')],
    ['no credentials', 401, () => 'GET /v2/account HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    ['a foreign host', 403, () => 'GET / HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n'],
    ['OPTIONS', 204, () => 'OPTIONS /v2/orders HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    ['malformed HTTP', 400, () => 'GET / HTTP/1.1\r\nno colon\r\n\r\n'],
    ['CONNECT', 405, () => 'CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    [
      'an upgrade under a foreign host',
      403,
      () =>
        'GET /stream HTTP/1.1\r\nHost: example.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    ],
  ]

/** The status line and headers of the response. */
function headOf(server: TestServer, text: string): Promise<string> {
  const { port } = server.serving
  const options = { port, host: '127.0.0.1', ca: testCertificate, servername: 'localhost' }
  const socket: Socket = server === secure ? connectTls(options) : connect(options)
  return new Promise((resolve, reject) => {
    let received = ''
    socket.setEncoding('latin1').on('data', (chunk) => {
      received += chunk
    })
    socket.on('error', reject).on('close', () => resolve(received.split('\r\n\r\n', 1)[0]!))
    socket.write(text)
  })
}

const valuesOf = (head: string, name: string): readonly string[] =>
  [...head.matchAll(new RegExp(`^${name}: (.*?)\\r?$`, 'gim'))].map(([, value]) => value!)

for (const [title, status, text] of requests)
  test(`${title}: nosniff, no shared cache, and Strict-Transport-Security only with TLS`, async () => {
    for (const server of [plain, secure]) {
      const head = await headOf(server, text(server))
      assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `))
      assert.deepEqual(valuesOf(head, 'x-content-type-options'), ['nosniff'])
      // A document with an ETag may be stored by its client.
      const stored = valuesOf(head, 'etag').length > 0 ? 'private, no-cache' : 'no-store'
      assert.deepEqual(valuesOf(head, 'cache-control'), [stored])
      assert.deepEqual(
        valuesOf(head, 'strict-transport-security'),
        server === secure ? ['max-age=31536000'] : [],
      )
    }
  })

test('the front page forbids frames and scripts, and loads only its own style', async () => {
  const head = await headOf(plain, get('/')(plain))
  assert.deepEqual(valuesOf(head, 'x-frame-options'), ['DENY'])
  assert.deepEqual(valuesOf(head, 'referrer-policy'), ['same-origin'])
  assert.match(
    String(valuesOf(head, 'content-security-policy')),
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; (img-src 'none'; )?form-action '(none|self)'; frame-ancestors 'none'; base-uri 'none'$/,
  )
  const page = await (await fetch(`${plain.url}/`)).text()
  assert.doesNotMatch(page, /<script|<[^>]+ style=|<[^>]+ on\w+=/)
})

for (const title of ['two Host headers', 'two Host headers for an upgrade'])
  test(`${title}: 400`, async () => {
    const upgrade = title.includes('upgrade') ? 'Connection: Upgrade\r\nUpgrade: websocket\r\n' : ''
    const text = `GET /healthz HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n${upgrade}\r\n`
    const socket = connect(plain.serving.port, '127.0.0.1')
    const received = await new Promise<string>((resolve) => {
      socket.once('data', (chunk) => resolve(String(chunk)))
      socket.write(text)
    })
    socket.destroy()
    assert.match(received, /^HTTP\/1\.1 400 .*"message":"expected one Host header, received several"/s)
  })
