import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { traceOf } from './logged-text.ts'
import { call, openTestServer, type TestServer } from './testing/server.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

for (const [traceparent, isValid] of [
  [`00-${TRACE}-${SPAN}-01`, true],
  [`cc-${TRACE}-${SPAN}-01-what-the-future-adds`, true],
  [`00-${TRACE}-${SPAN}-01-more`, false],
  [`ff-${TRACE}-${SPAN}-01`, false],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, false],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, false],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, false],
  [`00-${TRACE}-${SPAN}-01\n{}`, false],
  ['', false],
] as const)
  test(`traceparent ${JSON.stringify(traceparent)} is ${isValid ? 'logged' : 'ignored'}`, () =>
    assert.deepEqual(traceOf({ traceparent }), isValid ? { trace: TRACE, span: SPAN } : {}))

/** The last line of the log. */
function lastLine({ services, lines }: TestServer) {
  services.log.flush()
  return JSON.parse(lines.join('').trim().split('\n').at(-1)!)
}

test('the line of a request has client address, error code, reason and trace', async (t) => {
  const server = await openTestServer({ settings: { trustProxy: true } })
  t.after(() => server.close())
  await fetch(`${server.url}/v2/account`, {
    headers: { 'X-Forwarded-For': '203.0.113.7', traceparent: `00-${TRACE}-${SPAN}-01` },
  })
  const line = lastLine(server)
  const { level, message, status, address, code, reason, trace, span } = line
  assert.deepEqual(
    { level, message, status, address, reason, trace, span },
    {
      level: 'info',
      message: 'GET /v2/account',
      status: 401,
      address: '203.0.113.7',
      reason: 'unauthorized',
      trace: TRACE,
      span: SPAN,
    },
  )
  assert.equal(typeof code, 'number')
})

const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
const handshake = `${upgrade}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
for (const [title, text, message, status, reason] of [
  [
    'upgrade under a foreign host',
    `GET /stream?a=b HTTP/1.1\r\nHost: evil.com\r\n${handshake}`,
    'GET /stream',
    403,
    'hostNotAllowed',
  ],
  [
    'upgrade of a foreign page',
    `GET /stream HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.com\r\n${handshake}`,
    'GET /stream',
    403,
    'crossSite',
  ],
  [
    'CONNECT',
    'CONNECT evil.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'CONNECT evil.com:443',
    405,
    'methodNotAllowed',
  ],
  ['malformed request', 'GET / HTTP/1.1\r\nno colon\r\n\r\n', 'malformed request', 400, 'badRequest'],
] as const)
  test(`a refused ${title} has a log line`, async (t) => {
    const server = await openTestServer({ upgrade: () => assert.fail('the upgrade is refused') })
    t.after(() => server.close())
    await new Promise((resolve) => {
      const socket = connect(server.serving.port, '127.0.0.1').on('close', resolve).resume()
      socket.write(text)
    })
    const line = lastLine(server)
    assert.deepEqual([line.message, line.status, line.reason], [message, status, reason])
    assert.equal(line.address, '127.0.0.1')
    assert.match(line.request, /^[0-9a-f]{32}$/)
  })

test('the line of a request beyond the rate limit has the key of the caller, and so has that of an open operation', async (t) => {
  const server = await openTestServer({ limits: { rateLimit: 1 } })
  t.after(() => server.close())
  for (const [route, key, expected] of [
    ['GET /v2/account', server.key, 200],
    ['GET /v2/account', server.key, 429],
    ['GET /metrics', server.operatorKey, 200],
  ] as const) {
    assert.equal((await call(server, route, { key })).status, expected)
    const line = lastLine(server)
    assert.deepEqual([line.status, line.key], [expected, key.keyId], route)
  }
})
