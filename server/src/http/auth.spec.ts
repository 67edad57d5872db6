import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Caller } from '@quipu/broker/access/caller.ts'
import { call, openTestServer, type TestServer } from './testing/server.ts'

let server: TestServer
before(async () => {
  const scoped = (scopes: readonly string[]): Caller => ({
    kind: 'account',
    world: server.world,
    accountId: server.accountId,
    credentialId: 'token',
    scopes: new Set(scopes),
  })
  const tokens: Record<string, readonly string[]> = { reads: [], trades: ['trading'], charts: ['data'] }
  server = await openTestServer()
  const { credentials } = server.services.security
  Object.assign(server.services.security, {
    credentials: {
      byKey: credentials.byKey.bind(credentials),
      chosenKey: () => undefined,
      byToken: (token: string) => (Object.hasOwn(tokens, token) ? scoped(tokens[token]!) : undefined),
    },
  })
})
after(() => server.close())

type MakeHeaders = (server: TestServer) => Record<string, string>

const pair = (id: string, secret: string) => ({ 'APCA-API-KEY-ID': id, 'APCA-API-SECRET-KEY': secret })
const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

const rows: readonly (readonly [string, MakeHeaders, string, number, string?])[] = [
  ['a key pair', ({ key }) => pair(key.keyId, key.secretKey), 'GET /v2/account', 200],
  ['Basic', ({ key }) => basic(key.keyId, key.secretKey), 'GET /v2/account', 200],
  [
    'both, of the same key',
    ({ key }) => ({ ...pair(key.keyId, key.secretKey), ...basic(key.keyId, key.secretKey) }),
    'GET /v2/account',
    200,
  ],
  [
    'both, of different keys',
    ({ key, otherKey }) => ({
      ...pair(key.keyId, key.secretKey),
      ...basic(otherKey.keyId, otherKey.secretKey),
    }),
    'GET /v2/account',
    401,
    'unauthorized.',
  ],
  ['nothing', () => ({}), 'GET /v2/account', 401, 'unauthorized.'],
  ['nothing on market data', () => ({}), 'GET /v2/stocks/AAPL/trades/latest', 401, 'unauthorized.'],
  ['nothing on tokenization', () => ({}), 'GET /v2/tokenization/requests', 401, 'unauthorized'],
  ['a wrong secret', ({ key }) => pair(key.keyId, 'wrong'), 'GET /v2/account', 401, 'unauthorized.'],
  ['an unknown key', () => pair('PKNOBODY', 'wrong'), 'GET /v2/account', 401, 'unauthorized.'],
  ['no secret', ({ key }) => ({ 'APCA-API-KEY-ID': key.keyId }), 'GET /v2/account', 401, 'unauthorized.'],
  [
    'Basic without a colon',
    () => ({ Authorization: 'Basic aGVsbG8=' }),
    'GET /v2/account',
    401,
    'unauthorized.',
  ],
  ['an unknown scheme', () => ({ Authorization: 'Digest x' }), 'GET /v2/account', 401, 'unauthorized.'],
  ['a scheme alone', () => ({ Authorization: 'Bearer' }), 'GET /v2/account', 401, 'unauthorized.'],
  ['an unknown token', () => bearer('__proto__'), 'GET /v2/account', 401, 'unauthorized.'],
  ['a token that may read', () => bearer('reads'), 'GET /v2/account', 200],
  ['the same in lower case', () => ({ authorization: 'bearer reads' }), 'GET /v2/account', 200],
  [
    'a token beside a key pair',
    ({ key }) => ({ ...pair(key.keyId, key.secretKey), ...bearer('reads') }),
    'GET /v2/account',
    401,
    'unauthorized.',
  ],
  [
    'a token that may only read, placing an order',
    () => bearer('reads'),
    'POST /v2/orders',
    401,
    'token is not authorized for this scope',
  ],
  ['a token that may trade, placing nothing', () => bearer('trades'), 'POST /v2/orders', 422],
  [
    'a token without data',
    () => bearer('trades'),
    'GET /v2/stocks/AAPL/trades/latest',
    401,
    'token is not authorized for this scope',
  ],
  ['a token with data', () => bearer('charts'), 'GET /v2/stocks/AAPL/trades/latest', 200],
  ['a token that may not mint', () => bearer('trades'), 'POST /v2/tokenization/mint', 403, 'forbidden'],
  [
    'a partner on an account',
    ({ partnerKey: { keyId, secretKey } }) => pair(keyId, secretKey),
    'GET /v2/account',
    403,
    'forbidden',
  ],
  [
    'a partner on data',
    ({ partnerKey: { keyId, secretKey } }) => basic(keyId, secretKey),
    'GET /v2/stocks/AAPL/trades/latest',
    200,
  ],
  [
    'an account on worlds',
    ({ key }) => pair(key.keyId, key.secretKey),
    'GET /sim/v1/worlds',
    403,
    'forbidden',
  ],
  [
    'an account on apps',
    ({ key }) => pair(key.keyId, key.secretKey),
    'GET /v1/oauth/clients/x',
    401,
    'unauthorized.',
  ],
  ['a token of an app on apps', () => bearer('reads'), 'GET /v1/oauth/clients/x', 401, 'unauthorized.'],
  ['a token of an app on worlds', () => bearer('reads'), 'GET /sim/v1/worlds', 403, 'forbidden'],
  [
    'a partner that is no operator',
    ({ partnerKey: { keyId, secretKey } }) => pair(keyId, secretKey),
    'GET /sim/v1/worlds',
    403,
    'forbidden',
  ],
  ['wrong credentials where none are needed', () => pair('x', 'y'), 'GET /healthz', 200],
]

/** RFC 6750: the challenge names the error of a token, and has none if no token was sent. */
function challengeFor(title: string, status: number, message: string | undefined): string | null {
  if (message === 'token is not authorized for this scope' || title === 'a token that may not mint')
    return 'Bearer error="insufficient_scope"'
  if (status !== 401) return null
  return /\btoken\b|scheme alone/.test(title)
    ? 'Bearer error="invalid_token"'
    : 'Bearer, Basic realm="alpaca.markets"'
}

for (const [title, headers, route, status, message] of rows)
  test(`${title} at ${route}: ${status}`, async () => {
    const response = await call(server, route, { headers: headers(server) })
    assert.equal(response.status, status)
    if (message !== undefined) assert.equal(response.body.message, message)
    const challenge = response.headers.get('www-authenticate')
    assert.equal(challenge, challengeFor(title, status, message))
    if (status === 401) assert.equal(response.body.code, 40110000)
    if (status === 403) assert.equal(response.body.code, 40310000)
  })

test('an operator may call an operation for operators', async () => {
  const { status } = await call(server, 'GET /sim/v1/worlds', { key: server.operatorKey })
  assert.equal(status, 500, 'the handler of this test throws, so the request reached it')
})

test('the log has no credentials except the id of a valid key', async () => {
  const secrets = [server.key.secretKey, 'sEcReT-1', 'sEcReT-2', 'sEcReT-3', 'sEcReT-4', 'reads']
  await call(server, 'GET /v2/account?access_token=sEcReT-1&client_secret=sEcReT-2', { key: server.key })
  await call(server, 'GET /v2/account', { headers: pair('sEcReT-3', 'sEcReT-4') })
  await call(server, 'GET /v2/account', { headers: basic('sEcReT-3', 'sEcReT-4') })
  await call(server, 'GET /v2/account', { headers: bearer('reads') })
  await call(server, 'POST /v2/orders', { key: server.key, body: '{"client_secret":"sEcReT-1"' })
  server.services.log.flush()
  const logged = server.lines.join('')
  for (const secret of secrets) assert.ok(!logged.includes(secret), secret)
  assert.ok(logged.includes(server.key.keyId))
})

test('the log hints at an unknown key once, with its first characters', async () => {
  await call(server, 'GET /v2/account', { headers: pair('PKSOMEONEELSE', 'x') })
  await call(server, 'GET /v2/account', { headers: pair('PKSOMEONEELSE', 'x') })
  server.services.log.flush()
  const hints = server.lines
    .join('')
    .split('\n')
    .filter((line) => line.includes('quipu env'))
  assert.equal(hints.length, 1)
})
