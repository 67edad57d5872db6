import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { operations } from '@quipu/contract'
import { call, openTestServer, type TestServer } from './testing/server.ts'

let server: TestServer
/** A server with short timeouts. */
let hasty: TestServer
before(async () => {
  server = await openTestServer({ limits: { bodyMaxBytes: 1_048_576, headerMaxBytes: 4096 } })
  hasty = await openTestServer({ limits: { headersTimeoutMs: 200, requestTimeoutMs: 400 } })
})
after(async () => {
  await server.close()
  await hasty.close()
})

/** Families whose handlers this test server has. */
const tested: readonly string[] = ['trading', 'data', 'system']

type Written = string | Buffer

/** Writes bytes to a socket and returns all bytes received until it closed. */
function exchange(
  writes: readonly Written[],
  { end, to = server }: { readonly end?: boolean; readonly to?: TestServer } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(to.serving.port, '127.0.0.1')
    const received: Buffer[] = []
    socket.on('data', (chunk) => received.push(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => resolve(Buffer.concat(received).toString('latin1')))
    for (const bytes of writes) socket.write(bytes)
    if (end) socket.end()
  })
}

/** Status and code of the response; asserts that it has a request id and is JSON. */
function read(text: string): { readonly status: number; readonly code: number; readonly close: boolean } {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  assert.match(head, /x-request-id: [0-9a-f]{32}/i)
  assert.match(head, /content-type: application\/json/i)
  return {
    status: Number(head.split(' ')[1]),
    code: JSON.parse(body).code,
    close: /connection: close/i.test(head),
  }
}

const auth = ({ key } = server) =>
  `Host: localhost\r\nAPCA-API-KEY-ID: ${key.keyId}\r\nAPCA-API-SECRET-KEY: ${key.secretKey}\r\n`

const refused: readonly (readonly [string, () => readonly Written[], number, number])[] = [
  ['text other than HTTP', () => ['hello\r\n\r\n'], 400, 40010000],
  ['a TLS handshake', () => [Buffer.from([0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3])], 400, 40010000],
  [
    'a malformed header',
    () => ['GET /healthz HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n'],
    400,
    40010000,
  ],
  ['a request without Host', () => ['GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'], 400, 40010000],
  [
    'a target without a leading slash',
    () => ['GET healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    400,
    40010000,
  ],
  [
    'headers beyond the limit',
    () => [`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(8192)}\r\n\r\n`],
    431,
    43110000,
  ],
  [
    'a malformed chunk',
    () => [`POST /v2/orders HTTP/1.1\r\n${auth()}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    400,
    40010000,
  ],
  [
    'Content-Length with chunks',
    () => [
      `POST /v2/orders HTTP/1.1\r\n${auth()}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    400,
    40010000,
  ],
  ['CONNECT', () => ['CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n'], 405, 40510000],
]

for (const [title, writes, status, code] of refused)
  test(`${title}: ${status} as JSON, then the connection ends`, async () => {
    const response = read(await exchange(writes()))
    assert.deepEqual([response.status, response.code], [status, code])
  })

const slow: readonly (readonly [string, () => readonly Written[]])[] = [
  ['headers that arrive too slowly', () => ['GET /healthz HTTP/1.1\r\nHost: local']],
  ['a connection that sends nothing', () => []],
  [
    'a body that arrives too slowly',
    () => [`POST /v2/orders HTTP/1.1\r\n${auth(hasty)}Content-Length: 100\r\n\r\n{`],
  ],
]

for (const [title, writes] of slow)
  test(`${title}: 408, then the connection ends`, async () => {
    const { status, code } = read(await exchange(writes(), { to: hasty }))
    assert.deepEqual([status, code], [408, 40810000])
  })

test('a connection that sends nothing has no row in the request log, one that begins a request has', async (t) => {
  // The test server has no `main`, whose request log has the requests without a world.
  const added = t.mock.method(hasty.services.monitoring.requests, 'addRaw')
  await exchange([], { to: hasty })
  assert.equal(added.mock.callCount(), 0)
  await exchange(['GET /healthz HTTP/1.1\r\nHost: local'], { to: hasty })
  assert.equal(added.mock.callCount(), 1)
})

const order = JSON.stringify({ symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' })

for (const [title, at] of [
  ['headers', 'Content-Le'],
  ['a body', order.slice(0, 9)],
] as const)
  test(`an order whose rest of ${title} arrives after 408 is not applied`, async () => {
    const text = `POST /v2/orders HTTP/1.1\r\n${auth(hasty)}Content-Type: application/json\r\nContent-Length: ${order.length}\r\n\r\n${order}`
    const end = text.indexOf(at) + at.length
    const socket = connect({ port: hasty.serving.port, host: '127.0.0.1', allowHalfOpen: true })
    const [[accepted]] = await Promise.all([
      once(hasty.serving.server, 'connection'),
      once(socket, 'connect'),
    ])
    socket.write(text.slice(0, end))
    const [response] = await once(socket, 'data')
    assert.equal(read(String(response)).status, 408)
    socket.write(text.slice(end))
    await once(accepted, 'close')
    socket.destroy()
    const { body } = await call(hasty, 'GET /v2/orders?status=all', { key: hasty.key })
    assert.deepEqual(body, [])
  })

test('a full URL as target is served', async () => {
  const text = await exchange([
    'GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  ])
  assert.match(text, /^HTTP\/1\.1 200/)
})

test('HTTP/1.0 needs no Host', async () => {
  assert.match(await exchange(['GET /healthz HTTP/1.0\r\n\r\n']), /^HTTP\/1\.1 200/)
})

test('an upgrade to another protocol is ignored', async () => {
  const text = await exchange([
    'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n',
  ])
  assert.match(text, /^HTTP\/1\.1 200/)
})

for (const length of ['sized', 'chunked'] as const)
  test(`a ${length} body over the limit: 413, read to its end, then closed`, async () => {
    const size = 3_000_000
    const body = Buffer.alloc(size, 'a')
    const head = `POST /v2/orders HTTP/1.1\r\n${auth()}`
    const writes =
      length === 'sized'
        ? [`${head}Content-Length: ${size}\r\n\r\n`, body]
        : [`${head}Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n`, body, '\r\n0\r\n\r\n']
    assert.deepEqual(read(await exchange(writes)), { status: 413, code: 41310000, close: true })
  })

test('a body far over the limit is not read to its end', async () => {
  const size = 200_000_000
  const chunk = Buffer.alloc(1_000_000, 'a')
  const writes = [
    `POST /v2/orders HTTP/1.1\r\n${auth()}Content-Length: ${size}\r\n\r\n`,
    ...Array(25).fill(chunk),
  ]
  const text = await exchange(writes)
  if (text !== '') assert.match(text, /^HTTP\/1\.1 413/)
})

test('a body of exactly the limit is read', async () => {
  const size = 16_384
  const body = `{"type":"x","pad":"${'a'.repeat(size - 21)}"}`
  assert.equal(Buffer.byteLength(body), size)
  const response = await call(server, 'POST /v2/orders', { key: server.key, body })
  assert.deepEqual([response.status, response.body.message], [422, 'invalid order type'])
})

test('Expect: 100-continue for a body over the limit gets 413 at once', async () => {
  const head = `POST /v2/orders HTTP/1.1\r\n${auth()}Expect: 100-continue\r\nContent-Length: 9000000\r\n\r\n`
  assert.deepEqual(read(await exchange([head])), { status: 413, code: 41310000, close: true })
})

test('Expect: 100-continue for a small body gets 100 Continue', async () => {
  const head = `POST /v2/orders HTTP/1.1\r\n${auth()}Expect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n`
  const text = await exchange([head, '{}'])
  assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 422/)
})

test('an unknown expectation is ignored', async () => {
  const text = await exchange([
    'GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: wonders\r\nConnection: close\r\n\r\n',
  ])
  assert.match(text, /^HTTP\/1\.1 200/)
})

test('requests in one packet are answered in order', async () => {
  const get = (path: string, extra = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${extra}\r\n`
  const text = await exchange([
    `${get('/healthz')}${get('/nope')}${get('/healthz', 'Connection: close\r\n')}`,
  ])
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200'])
})

test('the server survives clients that disconnect in the middle of a request', async () => {
  for (const bytes of ['', 'GET', `POST /v2/orders HTTP/1.1\r\n${auth()}Content-Length: 50\r\n\r\n{"a"`]) {
    const socket = connect(server.serving.port, '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    if (bytes !== '') socket.write(bytes)
    socket.resetAndDestroy()
  }
  await exchange(['GET /v2/account HTTP/1.1\r\nHost: x'], { end: true })
  assert.equal((await call(server, 'GET /healthz')).status, 200)
})

const seed = process.env['SEED'] ?? randomBytes(4).toString('hex')
let drawn = 0
/** Pseudorandom bytes from the seed. */
function noise(size: number): Buffer {
  const parts = Array.from({ length: Math.ceil(size / 32) }, () =>
    createHash('sha256').update(`${seed}/${drawn++}`).digest(),
  )
  return Buffer.concat(parts).subarray(0, size)
}

test(`random bytes on every route (SEED=${seed}): no 5xx, and the server keeps running`, async () => {
  const inTarget = (size: number) =>
    noise(size)
      .toString('latin1')
      .replaceAll(/[^!-~]|[#?]/g, '%')
  for (const { method, path, family } of Object.values(operations)) {
    // Event streams have their own specs.
    if (!tested.includes(family) || path.includes('/events/')) continue
    for (const body of [noise(40), Buffer.from('{"a":1}'), noise(3000)]) {
      const target = `${path.replaceAll(/\{[^}]+\}/g, () => inTarget(6))}?${inTarget(12)}`
      const head = `${method} ${target} HTTP/1.1\r\n${auth()}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n`
      assert.match(await exchange([head, body]), /^(?:HTTP\/1\.1 [24]\d\d|$)/, `${method} ${target}`)
    }
  }
  for (let round = 0; round < 30; round++) await exchange([noise(300)], { end: true })
  assert.equal((await call(server, 'GET /healthz')).status, 200)
})

test('the log hints at https on the http port', () => {
  server.services.log.flush()
  assert.ok(server.lines.some((line) => line.includes('received https on the http port')))
})
