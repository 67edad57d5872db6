import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { type Body, call, callAsOperator, startBroker } from '../support/broker.ts'
import {
  assertRefused,
  bearer,
  broker,
  callWithHeaders,
  get,
  newWorld,
  placeOrder,
  restingBuy,
  UNKNOWN_ID,
} from './stage.ts'

const world = await newWorld()
const pair = { 'APCA-API-KEY-ID': world.keyId, 'APCA-API-SECRET-KEY': world.secretKey }
const REQUEST_ID = /^[0-9a-f]{32}$/

for (const [title, method, path] of [
  ['a success', 'GET', '/v2/account'],
  ['a success without a body', 'DELETE', '/v2/orders/ORDER'],
  ['a wrong credential', 'GET', '/v2/account?wrong'],
  ['a wrong parameter', 'GET', '/v2/orders?limit=x'],
  ['an unknown order', 'GET', `/v2/orders/${UNKNOWN_ID}`],
  ['an unknown route', 'GET', '/v2/unknown/path'],
  ['a wrong method', 'PUT', '/v2/account'],
  ['a page', 'GET', '/'],
  ['health', 'GET', '/healthz'],
  ['metrics', 'GET', '/metrics'],
  ['the OpenAPI document', 'GET', '/openapi.json'],
] as const)
  test(`${title} has a unique request id`, async () => {
    const order = path.endsWith('ORDER') ? (await placeOrder(world, restingBuy)).id : ''
    const headers = path.endsWith('wrong') ? { ...pair, 'APCA-API-SECRET-KEY': 'x' } : pair
    const request = () => callWithHeaders(method, path.replace('ORDER', order), headers)
    const ids = [await request(), await request()].map(({ headers }) => headers.get('x-request-id') ?? '')
    for (const id of ids) assert.match(id, REQUEST_ID)
    assert.notEqual(ids[0], ids[1])
  })

for (const [title, method, path, status, code, message] of [
  ['an unknown route', 'GET', '/v2/nothing', 404, 40410000, 'endpoint not found'],
  ['an unknown version', 'GET', '/v9/account', 404, 40410000, 'endpoint not found'],
  ['a base URL that ends in /v2', 'GET', '/v2/v2/account', 404, 40410000, 'endpoint not found'],
  ['an unknown route with a body', 'POST', '/v2/nothing', 404, 40410000, 'endpoint not found'],
  [
    'a path of the protocol without an operation',
    'GET',
    '/v1/accounts/activities',
    404,
    40410000,
    'endpoint not found',
  ],
  ['another one', 'GET', '/v1/accounts/positions', 404, 40410000, 'endpoint not found'],
  ['an operation without its account', 'GET', '/v1/accounts/orders', 404, 40410000, 'endpoint not found'],
  ['an unknown path with a colon', 'GET', '/v2/orders:by_nothing', 404, 40410000, 'endpoint not found'],
  [
    'an unsupported method',
    'PUT',
    '/v2/account',
    405,
    40510000,
    'method PUT is not allowed here; allowed: GET',
  ],
  ['a broken percent sequence', 'GET', '/v2/orders/%zz', 400, 40010000, 'failed to decode request path'],
] as const)
  test(`${title}: ${status}, in JSON`, async () => {
    const response = await callWithHeaders(method, path, pair)
    assertRefused(response, status, code, message)
    assert.equal(response.headers.get('content-type'), 'application/json')
  })

for (const [method, path, key] of [
  ['POST', '/v2/orders', world],
  ['POST', '/v2/tokenization/mint', world],
  ['POST', '/v1/oauth/authorize', world.partner],
  ['POST', '/v1/oauth/token', world.partner],
  ['POST', '/sim/v1/worlds', { ...world, keyId: broker.brokerKey, secretKey: broker.brokerSecret }],
] as const)
  test(`a malformed body at ${path}: 400 in JSON`, async () =>
    assertRefused(await call(key, method, path, '{"a":'), 400, 40010000, 'failed to decode request body'))

test('a body above the size limit: 413 with the limit', async () => {
  const response = await callWithHeaders(
    'POST',
    '/v2/orders',
    pair,
    JSON.stringify({ symbol: 'x'.repeat(1_100_000) }),
  )
  assertRefused(response, 413, 41310000)
  assert.equal(response.body.limit, '16384')
})

test('malformed HTTP: 400 in JSON with a request id', async () => {
  const { hostname, port } = new URL(broker.url)
  const socket = connect(Number(port), hostname)
  socket.end('no such thing\r\n\r\n')
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  await once(socket, 'close')
  const [head = '', body = ''] = text.split('\r\n\r\n')
  assert.match(head, /^HTTP\/1\.1 400 /)
  assert.match(head, /^X-Request-ID: [0-9a-f]{32}$/im)
  const { code, message } = JSON.parse(body)
  assert.deepEqual([code, typeof message], [40010000, 'string'])
})

test('a trailing slash is answered without a redirect', async () => {
  const response = await fetch(`${broker.url}/v2/account/`, { headers: pair, redirect: 'manual' })
  assert.equal(response.status, 200)
})

test('responses have headers for the world, its sequence number and the version', async () => {
  const before = Number((await get(world, '/v2/account')).headers.get('x-quipu-seq'))
  const { headers } = await call(world, 'POST', '/v2/orders', restingBuy)
  assert.equal(headers.get('x-quipu-world'), world.world)
  assert.equal(headers.get('x-quipu-version'), broker.version)
  assert.ok(Number(headers.get('x-quipu-seq')) > before)
  const { body } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}`)
  const after = (await get(world, '/v2/account')).headers
  assert.equal(Number(after.get('x-quipu-seq')), body.seq)
  assert.equal((await get(broker, '/v2/account')).headers.get('x-quipu-world'), 'main')
})

test('above the rate limit: 429 with Retry-After; every response has the remaining count', async (t) => {
  const limited = await startBroker(['--rate-limit', '2'])
  t.after(() => limited.stop())
  assert.equal(limited.dataFolder, undefined, 'a broker of a spec leaves no folder')
  const request = () => get(limited, '/v2/account')
  const [first, , third] = [await request(), await request(), await request()]
  assert.deepEqual(
    ['limit', 'remaining'].map((name) => first.headers.get(`x-ratelimit-${name}`)),
    ['2', '1'],
  )
  assertRefused(third, 429, 42910000, 'too many requests')
  assert.match(third.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  assert.equal(third.headers.get('x-ratelimit-remaining'), '0')
  assert.match(third.headers.get('x-ratelimit-reset') ?? '', /^\d{10}$/)
})

const limit = { ...restingBuy, qty: '3', limit_price: '187.5' }
const asset = '605209a6-1bc6-51c6-b6d0-0a8ee018b471'
for (const [title, order] of [
  ['numbers as strings', limit],
  ['JSON numbers, as Python writes them', { ...limit, qty: 3.0, limit_price: 187.5 }],
  ['trailing zeros', { ...limit, qty: '3.000', limit_price: '187.50' }],
  ['numbers with an exponent', { ...limit, qty: '3e0', limit_price: 1.875e2 }],
  ['the asset id as symbol', { ...limit, symbol: asset }],
  ['the asset id in capital letters', { ...limit, symbol: asset.toUpperCase() }],
  ['False for false, as Python writes it', { ...limit, extended_hours: 'False' }],
  [
    'nulls for unused fields',
    { ...limit, notional: null, stop_price: null, legs: null, client_order_id: null },
  ],
  ['an empty order class', { ...limit, order_class: '' }],
  ['the simple order class', { ...limit, order_class: 'simple' }],
  ['an empty client order id', { ...limit, client_order_id: '' }],
  ['unknown fields', { ...limit, colour: 'blue', advanced_instructions: { algorithm: 'DMA' } }],
] as readonly (readonly [string, Body])[])
  test(`an order with ${title} is accepted`, async () => {
    const { qty, limit_price, symbol, extended_hours } = await placeOrder(world, order)
    assert.deepEqual([qty, limit_price, symbol, extended_hours], ['3', '187.5', 'AAPL', false])
  })

for (const [title, path, headers] of [
  ['without a Content-Type', '/v2/orders', {}],
  ['with a text Content-Type', '/v2/orders', { 'Content-Type': 'text/plain' }],
  [
    'with a form Content-Type, as from curl',
    '/v2/orders',
    { 'Content-Type': 'application/x-www-form-urlencoded' },
  ],
  ['with a charset', '/v2/orders', { 'Content-Type': 'application/json; charset=utf-8' }],
  ['with a trailing slash', '/v2/orders/', {}],
] as readonly (readonly [string, string, Record<string, string>])[])
  test(`a JSON body ${title} is accepted`, async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(limit))
    const { status, body } = await callWithHeaders('POST', path, { ...pair, ...headers }, bytes)
    assert.deepEqual([status, body.qty], [200, '3'])
  })

for (const path of [
  '/v2/account/',
  '/v2/orders/?status=all',
  '/v2/orders:by_client_order_id/?client_order_id=slash',
  '/v2/stocks/bars/?symbols=AAPL&timeframe=1Day',
  '/v2/tokenization/requests/',
])
  test(`a trailing slash changes nothing: ${path}`, async () => {
    await call(world, 'POST', '/v2/orders', { ...limit, client_order_id: 'slash' })
    const [plain, withSlash] = [
      await get(world, path.replace('/?', '?').replace(/\/$/, '')),
      await get(world, path),
    ]
    assert.deepEqual([withSlash.status, withSlash.body], [200, plain.body])
  })

test('True, as Python writes it, is true', async () => {
  assert.equal((await placeOrder(world, { ...limit, extended_hours: 'True' })).extended_hours, true)
})

test('header names are case-insensitive', async () => {
  const lower = { 'apca-api-key-id': world.keyId, 'apca-api-secret-key': world.secretKey }
  assert.equal((await callWithHeaders('GET', '/v2/account', lower)).status, 200)
})

test('a key pair and a token in one request: 401', async () => {
  const grant = { ...world.created.oauth_client, scope: '', account_id: world.accountId }
  const { access_token } = (await call(world.partner, 'POST', '/v1/oauth/token', grant)).body
  assert.equal((await callWithHeaders('GET', '/v2/account', bearer(access_token))).status, 200)
  assertRefused(
    await callWithHeaders('GET', '/v2/account', { ...pair, ...bearer(access_token) }),
    401,
    40110000,
  )
})
