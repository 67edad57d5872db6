import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type ClientOptions, createClient } from './client.ts'
import {
  ApiError,
  AuthError,
  errorFrom,
  NetworkError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  retryAfterMs,
  ValidationError,
} from './errors.ts'

type ReceivedRequest = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}
type Reply =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | 'cut'

/** A server that returns these replies in turn, then repeats the last one, and records the requests. */
async function serving(t: TestContext, ...replies: readonly Reply[]) {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    requests.push({ method: request.method!, url: request.url!, headers: request.headers, body })
    answer(response, replies[Math.min(requests.length, replies.length) - 1]!)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = (options: Partial<ClientOptions> = {}) => createClient({ url, retryDelayMs: 1, ...options })
  return { requests, url, client }
}

function answer(response: ServerResponse, reply: Reply): void {
  if (reply === 'cut') {
    response.destroy()
    return
  }
  response.writeHead(reply.status ?? 200, { 'x-request-id': 'a1', connection: 'close', ...reply.headers })
  response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {}))
}

test('inputs go to the parts of the request that the contract names', async (t) => {
  const { requests, client } = await serving(t, { body: [] })
  const { listOrders, getOrder, placeOrder, getAsset } = client()
  await listOrders({ query: { status: 'open', symbols: ['AAPL', 'MSFT'] } })
  await getOrder({ params: { order_id: 'a b/c' } })
  await getAsset({ params: { symbol_or_asset_id: 'BTC/USD' } })
  await placeOrder({ body: { symbol: 'AAPL', qty: 1, side: 'buy', type: 'market', time_in_force: 'day' } })
  assert.deepEqual(
    requests.map(({ method, url }) => `${method} ${url}`),
    [
      'GET /v2/orders?status=open&symbols=AAPL%2CMSFT',
      'GET /v2/orders/a%20b%2Fc',
      'GET /v2/assets/BTC%2FUSD',
      'POST /v2/orders',
    ],
  )
  assert.equal(requests[3]?.headers['content-type'], 'application/json')
  assert.equal(
    requests[3]?.body,
    '{"symbol":"AAPL","qty":1,"side":"buy","type":"market","time_in_force":"day"}',
  )
})

test('a form is encoded as a form', async (t) => {
  const { requests, client } = await serving(t, {})
  await client().exchangeOAuthCode({
    body: {
      grant_type: 'authorization_code',
      code: 'a&b',
      client_id: 'c',
      client_secret: 's',
      redirect_uri: 'u',
    },
  })
  assert.equal(requests[0]?.headers['content-type'], 'application/x-www-form-urlencoded')
  assert.equal(
    requests[0]?.body,
    'grant_type=authorization_code&code=a%26b&client_id=c&client_secret=s&redirect_uri=u',
  )
})

for (const [name, credential, header, value] of [
  ['a key', { keyId: 'PK1', secretKey: 's' }, 'apca-api-key-id', 'PK1'],
  ['a secret', { keyId: 'PK1', secretKey: 's' }, 'apca-api-secret-key', 's'],
  ['a token', { accessToken: 't' }, 'authorization', 'Bearer t'],
  ['Basic', { basic: { id: 'i', secret: 'ü' } }, 'authorization', 'Basic aTrDvA=='],
  ['nothing', {}, 'authorization', undefined],
] as const) {
  test(`${name} is sent as ${header}: ${value}`, async (t) => {
    const { requests, client } = await serving(t, {})
    await client(credential).getHealth()
    assert.equal(requests[0]?.headers[header], value)
  })
}

for (const [name, replies, attempts] of [
  ['503 twice, then 200', [{ status: 503 }, { status: 503 }, {}], 3],
  ['a broken connection, then 200', ['cut', {}], 2],
] as const) {
  test(`a GET is retried: ${name}`, async (t) => {
    const { requests, client } = await serving(t, ...replies)
    await client().getAccount()
    assert.equal(requests.length, attempts)
  })
}

for (const [name, reply, kind, attempts] of [
  ['always 503', { status: 503 }, ApiError, 3],
  ['always 429', { status: 429, headers: { 'retry-after': '0' } }, RateLimitError, 3],
  ['a delay of more than a minute', { status: 429, headers: { 'retry-after': '61' } }, RateLimitError, 1],
  ['always a broken connection', 'cut', NetworkError, 3],
  ['404', { status: 404 }, NotFoundError, 1],
  ['401', { status: 401 }, AuthError, 1],
] as const) {
  test(`a GET gives up: ${name}, after ${attempts}`, async (t) => {
    const { requests, client } = await serving(t, reply)
    await assert.rejects(client().getAccount(), kind)
    assert.equal(requests.length, attempts)
  })
}

for (const reply of ['cut', { status: 503 }, { status: 429 }, { status: 504 }] as const) {
  test(`a POST is never retried: ${JSON.stringify(reply)}`, async (t) => {
    const { requests, client } = await serving(t, reply, {})
    const body = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' } as const
    await assert.rejects(client().placeOrder({ body }))
    assert.equal(requests.length, 1)
  })
}

test('a DELETE is never retried', async (t) => {
  const { requests, client } = await serving(t, { status: 503 }, {})
  await assert.rejects(client().cancelOrder({ params: { order_id: 'o' } }))
  assert.equal(requests.length, 1)
})

test('an error has status, code, reason, message and request', async (t) => {
  const body = {
    code: 40310000,
    message: 'insufficient buying power',
    reason: 'insufficientBuyingPower',
    cost: '9',
  }
  const { client } = await serving(t, { status: 403, body })
  await assert.rejects(client().getAccount(), (error) => {
    assert(error instanceof PermissionError)
    const { status, code, reason, message, requestId } = error
    assert.deepEqual([status, code, reason, message], [403, body.code, body.reason, body.message])
    assert.equal(requestId, 'a1')
    assert.deepEqual(error.body, body)
    return true
  })
})

for (const [status, text, kind, message] of [
  [422, '{"code":40010001,"message":"qty: expected"}', ValidationError, 'qty: expected'],
  [
    400,
    '{"error":"invalid_grant","error_description":"the code is used up"}',
    ValidationError,
    'the code is used up',
  ],
  [502, '<html>', ApiError, 'the server returned 502'],
] as const) {
  test(`${status} ${text} is a ${kind.name}`, () => {
    const error = errorFrom(status, new Headers(), text)
    assert.equal(error.constructor, kind)
    assert.equal(error.message, message)
  })
}

for (const [headers, ms] of [
  [{ 'retry-after': '2' }, 2000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:09 GMT' }, 8000],
  [{ 'x-ratelimit-reset': '5' }, 4000],
  [{ 'retry-after': '2', 'x-ratelimit-reset': '5' }, 2000],
  [{}, undefined],
] as const) {
  test(`${JSON.stringify(headers)} means ${ms} ms`, () => {
    assert.equal(retryAfterMs(new Headers(headers as Record<string, string>), 1000), ms)
  })
}

test('only a request over the rate limit has the time of its reset', () => {
  const headers = new Headers({ 'x-ratelimit-reset': String(Date.now() / 1000 + 30) })
  assert.equal(errorFrom(403, headers, '').retryAfterMs, undefined)
  assert.ok(errorFrom(429, headers, '').retryAfterMs! > 20_000)
  assert.equal(errorFrom(429, new Headers(), '').retryAfterMs, 1000)
})

test('a server that does not respond runs into the timeout', async (t) => {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await assert.rejects(createClient({ url, retries: 0, timeoutMs: 20 }).getHealth(), {
    name: 'NetworkError',
    message: `GET ${url}/healthz: no complete response within 20 ms`,
  })
})

test('the caller can abort, also between attempts', async (t) => {
  const { client } = await serving(t, { status: 503, headers: { 'retry-after': '5' } })
  const stop = new AbortController()
  const response = client().getAccount({}, { signal: stop.signal })
  setTimeout(() => stop.abort(new Error('enough')), 20)
  await assert.rejects(response, new Error('enough'))
})

test('an unreachable server is a network error with URL and reason', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await new Promise((resolve) => server.close(resolve))
  await assert.rejects(createClient({ url, retries: 0 }).getHealth(), (error) => {
    assert(error instanceof NetworkError)
    assert.match(error.message, /^GET http:\/\/127\.0\.0\.1:\d+\/healthz: .*ECONNREFUSED/)
    return true
  })
})

test('a response that is not JSON is an error', async (t) => {
  const { client } = await serving(t, { body: '<html>' })
  await assert.rejects(client().getAccount(), /getAccount: expected JSON, received "<html>"/)
})

test('a missing path parameter is an error before any request', async (t) => {
  const { requests, client } = await serving(t, {})
  await assert.rejects(client().getOrder({ params: { order_id: '' } }), new TypeError('order_id is missing'))
  assert.equal(requests.length, 0)
})

test('the compiler checks the inputs of a call', async (t) => {
  const { client } = await serving(t, {})
  const { getOrder, listOrders, getOAuthClient } = client()
  await listOrders()
  await getOAuthClient({ params: { client_id: 'c' } })
  // @ts-expect-error an order cannot be looked up without its id
  await assert.rejects(getOrder({ params: {} }), TypeError)
  // @ts-expect-error there is no such status
  await listOrders({ query: { status: 'lost' } })
})
