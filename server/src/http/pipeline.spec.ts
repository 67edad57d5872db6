import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { JournalClosed } from '@quipu/broker/journal/journal.ts'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import { OutcomeUnknown } from '@quipu/broker/world/submitted.ts'
import { steps } from './pipeline.ts'
import { call, openTestServer, type TestServer } from './testing/server.ts'

let server: TestServer
before(async () => {
  server = await openTestServer({
    handlers: {
      getAccount: () => {
        throw new Error('bug: on purpose')
      },
      getClock: () => Promise.reject(new NotApplied('queueFull')),
      listPositions: () => Promise.reject(new NotApplied('queryTablesBehind')),
      listAssets: () => Promise.reject(new NotApplied('worldRestarting')),
      getPosition: () => Promise.reject(new JournalClosed('the journal is closed')),
      getAsset: () => Promise.reject(new OutcomeUnknown(new Error('disk'))),
    },
  })
})
after(() => server.close())

test('a request runs through these steps, which ARCHITECTURE.md shows', () => {
  const names = steps.map(({ name }) => name)
  assert.deepEqual(names, [
    'host',
    'route',
    'holder',
    'caller',
    'rate',
    'permission',
    'body',
    'input',
    'fault',
    'turn',
    'firstUse',
    'handle',
    'send',
  ])
  const page = readFileSync(join(import.meta.dirname, '../../../ARCHITECTURE.md'), 'utf8')
  assert.ok(page.includes(names.join('  ')))
})

const order = '{"symbol":"AAPL","qty":"1","side":"buy","type":"market","time_in_force":"day"}'

const rows: readonly (readonly [string, string, string | undefined, number, number, RegExp])[] = [
  ['an unknown path', 'GET /nope', undefined, 404, 40410000, /^endpoint not found$/],
  [
    'an unknown path below a known one',
    'GET /v2/orders/a/b/c',
    undefined,
    404,
    40410000,
    /endpoint not found/,
  ],
  ['a doubled slash', 'GET //v2/account', undefined, 404, 40410000, /endpoint not found/],
  ['a base URL that ends in /v2', 'GET /v2/v2/account', undefined, 404, 40410000, /endpoint not found/],
  ['another method', 'PUT /v2/orders', undefined, 405, 40510000, /method PUT is not allowed/],
  [
    'a broken percent sequence in a path',
    'GET /v2/assets/%E0%A4%A',
    undefined,
    400,
    40010000,
    /request path/,
  ],
  [
    'a broken percent sequence in a query',
    'GET /v2/orders?status=%E0%A4%A',
    undefined,
    422,
    40010001,
    /^status: /,
  ],
  [
    'a name of the prototype in a query',
    'GET /v2/orders?__proto__=1&status=x',
    undefined,
    422,
    40010001,
    /^status/,
  ],
  [
    'a body that is not JSON',
    'POST /v2/orders',
    '{"symbol":',
    400,
    40010000,
    /failed to decode request body/,
  ],
  [
    'a body that is a list',
    'POST /v2/orders',
    '[]',
    422,
    40010001,
    /body: expected a record, received a list/,
  ],
  ['no body', 'POST /v2/orders', undefined, 422, 40010001, /invalid order type/],
  ['a body of null', 'POST /v2/orders', 'null', 422, 40010001, /invalid order type/],
  ['a body with the prototype', 'POST /v2/orders', '{"__proto__":{"type":"market"}}', 422, 40010001, /type/],
  ['an invalid id', 'GET /v2/orders/17', undefined, 422, 40010001, /order_id is missing/],
  ['a parameter of market data', 'GET /v2/stocks/bars?timeframe=1Day', undefined, 400, 40010001, /symbols/],
  ['a bug in a handler', 'GET /v2/account', undefined, 500, 50010000, /internal server error/],
  ['a full queue', 'GET /v2/clock', undefined, 503, 50310000, /nothing was applied/],
  ['query tables that are behind', 'GET /v2/positions', undefined, 503, 50310003, /nothing was applied/],
  ['a world being rebuilt', 'GET /v2/assets', undefined, 503, 50310002, /nothing was applied/],
]

for (const [title, route, body, status, code, message] of rows)
  test(`${title}: ${status}`, async () => {
    const response = await call(server, route, { key: server.key, body })
    assert.equal(response.status, status)
    assert.equal(response.body.code, code)
    assert.match(response.body.message, message)
    assert.equal(response.headers.get('content-type'), 'application/json')
    assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f]{32}$/)
    if (status === 503) assert.equal(response.headers.get('retry-after'), '1')
    if (status === 405) assert.equal(response.headers.get('allow'), 'POST, GET, DELETE, OPTIONS')
  })

test('the log hints at a base URL that ends in /v2', () => {
  server.services.log.flush()
  assert.match(server.lines.join(''), /the base URL of a client should end before \/v2/)
})

test('a body that is not UTF-8 is refused as JSON', async () => {
  const response = await fetch(`${server.url}/v2/orders`, {
    method: 'POST',
    headers: { 'apca-api-key-id': server.key.keyId, 'apca-api-secret-key': server.key.secretKey },
    body: Buffer.from([0x22, 0xff, 0x22]),
  })
  assert.equal(response.status, 400)
})

test('a request with an unknown outcome gets no response', async () => {
  await assert.rejects(call(server, 'GET /v2/assets/AAPL', { key: server.key }), TypeError)
})

test('a bug is logged with the request id of its response, and the server keeps running', async () => {
  const { headers } = await call(server, 'GET /v2/account', { key: server.key })
  server.services.log.flush()
  const line = server.lines
    .join('')
    .split('\n')
    .find((text) => text.includes('on purpose') && text.includes(headers.get('x-request-id')!))
  assert.ok(line)
  assert.equal((await call(server, 'GET /healthz')).status, 200)
})

test('request ids are unique', async () => {
  const ids = new Set<string | null>()
  const sendTwenty = async () => {
    for (let count = 0; count < 20; count++)
      ids.add((await call(server, 'GET /healthz')).headers.get('x-request-id'))
  }
  await Promise.all(Array.from({ length: 30 }, sendTwenty))
  assert.equal(ids.size, 600)
})

test('an unsupported content encoding is refused', async () => {
  const headers = { 'content-encoding': 'gzip' }
  const { status, body } = await call(server, 'POST /v2/orders', { key: server.key, headers, body: order })
  assert.deepEqual([status, body.code], [415, 41510000])
})

const accepted: readonly (readonly [string, string, Record<string, string>])[] = [
  ['no content type', '/v2/orders', { 'content-type': '' }],
  ['the content type of curl', '/v2/orders', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['text', '/v2/orders', { 'content-type': 'text/plain' }],
  ['a slash at the end', '/v2/orders/', { 'content-type': 'application/json' }],
]

for (const [title, path, headers] of accepted)
  test(`an order with ${title} is accepted`, async () => {
    assert.equal((await call(server, `POST ${path}`, { key: server.key, headers, body: order })).status, 200)
  })

test('HEAD is GET without its body', async () => {
  const { status, headers, body } = await call(server, 'HEAD /healthz')
  assert.deepEqual([status, body, headers.get('content-length')], [200, '', '15'])
})

test('OPTIONS returns the methods of a path', async () => {
  const { status, headers } = await call(server, 'OPTIONS /v2/orders')
  assert.deepEqual([status, headers.get('allow')], [204, 'POST, GET, DELETE, OPTIONS'])
  assert.equal(headers.get('access-control-allow-origin'), null)
})

test('a response has headers with the world, the version and the journal number', async () => {
  const { headers } = await call(server, 'POST /v2/orders', { key: server.key, body: order })
  assert.equal(headers.get('x-quipu-world'), 'lab')
  assert.equal(headers.get('x-quipu-version'), '0.0.0-test')
  assert.ok(Number(headers.get('x-quipu-seq')) > 0)
})

test('a read from a journal that just closed gets 503, as in a restart', async () => {
  const { status, body, headers } = await call(server, 'GET /v2/positions/AAPL', { key: server.key })
  assert.deepEqual([status, body.reason, headers.get('retry-after')], [503, 'worldStopped', '1'])
})
