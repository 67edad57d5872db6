import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, openTestServer } from '@quipu/server/http/testing/server.ts'
import { RateLimiter } from './rate-limits.ts'

const rows: readonly (readonly [string, readonly number[], number, boolean, Record<string, string>])[] = [
  // calls at (ms)            then at   allowed  headers
  [
    'the first',
    [],
    0,
    true,
    { 'X-RateLimit-Limit': '3', 'X-RateLimit-Remaining': '2', 'X-RateLimit-Reset': '20' },
  ],
  ['the third at once', [0, 0], 0, true, { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '60' }],
  ['one too many', [0, 0, 0], 0, false, { 'X-RateLimit-Remaining': '0', 'Retry-After': '20' }],
  ['one too many, later', [0, 0, 0], 5000, false, { 'X-RateLimit-Remaining': '0', 'Retry-After': '15' }],
  ['when one has come back', [0, 0, 0], 20_000, true, { 'X-RateLimit-Remaining': '0' }],
  ['after a long rest', [0, 0, 0], 600_000, true, { 'X-RateLimit-Remaining': '2' }],
  ['when the clock was set back', [50_000, 50_000, 50_000], 0, false, { 'X-RateLimit-Remaining': '0' }],
]

for (const [name, calls, at, allowed, headers] of rows)
  test(`3 a minute, ${name}: ${allowed ? 'allowed' : 'refused'}`, () => {
    let now = 0
    const limiter = new RateLimiter(3, () => now)
    for (now of calls) limiter.take('key')
    now = at
    const allowance = limiter.take('key')
    assert.equal(allowance.allowed, allowed)
    const sent = new Map<string, string>()
    for (let i = 0; i < allowance.headers.length; i += 2)
      sent.set(allowance.headers[i]!, allowance.headers[i + 1]!)
    for (const [name, value] of Object.entries(headers)) assert.equal(sent.get(name), value, name)
    assert.equal(sent.has('Retry-After'), !allowed)
  })

test('one credential does not use up the allowance of another', () => {
  const limiter = new RateLimiter(1, () => 0)
  assert.deepEqual(
    ['a', 'a', 'b'].map((id) => limiter.take(id).allowed),
    [true, false, true],
  )
})

test('over HTTP: every response shows the limit, the last one is 429, data has its own limit', async (t) => {
  const server = await openTestServer({ limits: { rateLimit: 2 } })
  t.after(() => server.close())
  const { key, partnerKey } = server
  const left = async (route: string, of = key) => {
    const { status, headers } = await call(server, route, { key: of })
    return [status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]
  }
  assert.deepEqual(await left('GET /v2/account'), [200, '2', '1'])
  assert.deepEqual(await left('GET /v2/orders/x'), [422, '2', '0'])
  const { status, headers, body } = await call(server, 'GET /v2/account', { key })
  assert.deepEqual([status, body.code, body.message], [429, 42910000, 'too many requests'])
  assert.ok(Number(headers.get('retry-after')) >= 1)
  assert.ok(Number(headers.get('x-ratelimit-reset')) > 1e9)
  assert.deepEqual(await left('GET /v2/stocks/AAPL/trades/latest'), [200, '2', '1'])
  assert.deepEqual(await left('GET /v2/account', partnerKey), [403, '2', '1'])
  assert.deepEqual(await left('GET /healthz'), [200, '2', '2'])
})

test('without a limit every response shows large numbers', async (t) => {
  const server = await openTestServer()
  t.after(() => server.close())
  const { key } = server
  for (const [route, headers, status] of [
    ['GET /v2/account', {}, 200],
    ['GET /healthz', {}, 200],
    ['GET /nowhere', {}, 404],
    ['PUT /v2/account', {}, 405],
    ['GET /v2/orders/x', {}, 422],
    ['GET /v2/account', { 'APCA-API-SECRET-KEY': 'wrong' }, 401],
  ] as const) {
    const response = await call(server, route, { key, headers })
    assert.equal(response.status, status, route)
    const shown = ['limit', 'remaining', 'reset'].map((name) =>
      Number(response.headers.get(`x-ratelimit-${name}`)),
    )
    assert.deepEqual(shown.slice(0, 2), [1_000_000_000, 1_000_000_000], route)
    assert.ok(Math.abs(shown[2]! - Date.now() / 1000) < 60, route)
  }
})
