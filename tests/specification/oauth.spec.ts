import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call } from '../support/broker.ts'
import {
  assertRefused,
  bearer,
  type Caller,
  callWithHeaders,
  get,
  marketBuy,
  newWorld,
  type StageResponse,
  UNKNOWN_ID,
  UUID,
} from './stage.ts'

const world = await newWorld({ accounts: 2 })
const stranger = await newWorld({ seed: 'stranger' })
const { client_id, client_secret, redirect_uri } = world.created.oauth_client
const request = { client_id, client_secret, redirect_uri, scope: 'trading', account_id: world.accountId }
const hyphened = client_id.toUpperCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

const client = (id: string, caller: Caller = world.partner) => get(caller, `/v1/oauth/clients/${id}`)
const authorize = (patch: object = {}, caller: Caller = world.partner): Promise<StageResponse> =>
  call(caller, 'POST', '/v1/oauth/authorize', { ...request, ...patch })
const issue = (patch: object = {}, caller: Caller = world.partner): Promise<StageResponse> =>
  call(caller, 'POST', '/v1/oauth/token', { ...request, ...patch })
const exchange = (code: string, patch: Record<string, string> = {}): Promise<StageResponse> => {
  const form = { grant_type: 'authorization_code', code, client_id, client_secret, redirect_uri, ...patch }
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  return callWithHeaders('POST', '/oauth/token', headers, new URLSearchParams(form).toString())
}
const withToken = (token: string, method: string, path: string, body?: object): Promise<StageResponse> =>
  callWithHeaders(method, path, bearer(token), body && JSON.stringify(body))

for (const [title, id] of [
  ['its id', client_id],
  ['its id with hyphens and in capitals', hyphened],
  [
    'its id with the query of the flow',
    `${client_id}?response_type=token&redirect_uri=https%3A%2F%2Felsewhere&scope=general`,
  ],
] as const)
  test(`getOAuthClient, by ${title}: 200 with the details for the authorization page`, async () => {
    const { status, body } = await client(id)
    assert.equal(status, 200)
    assert.deepEqual(body, {
      client_id,
      name: 'Demo app',
      description: 'An app to try the code flow with.',
      url: 'http://localhost:8080',
      terms_of_use: '',
      privacy_policy: '',
      status: 'ACTIVE',
      redirect_uri: [redirect_uri],
      live_trading_approved: false,
    })
  })

for (const [title, request] of [
  ['the client does not exist', () => client('0'.repeat(32))],
  ['the id is not a UUID', () => client('demo')],
  ['the partner has no access to it', () => client(client_id, stranger.partner)],
  ['the caller is not a partner', () => client(client_id, world)],
  ['the credentials are wrong', () => client(client_id, { ...world.partner, secretKey: 'wrong' })],
  ['there are no credentials', () => callWithHeaders('GET', `/v1/oauth/clients/${client_id}`)],
] as const)
  test(`getOAuthClient, ${title}: 401`, async () =>
    assertRefused(await request(), 401, 40110000, 'unauthorized.'))

test('authorizeOAuthToken: 200 with a code', async () => {
  const { status, body, headers } = await authorize()
  assert.equal(status, 200)
  assert.match(body.code, UUID)
  assert.deepEqual(body, { code: body.code, client_id, redirect_uri, scope: 'trading' })
  assert.equal(headers.get('cache-control'), 'no-store')
})

test('issueOAuthToken: 200 with a token', async () => {
  const { status, body, headers } = await issue()
  assert.equal(status, 200)
  assert.match(body.access_token, UUID)
  assert.deepEqual(body, { access_token: body.access_token, token_type: 'Bearer', scope: 'trading' })
  assert.equal(headers.get('cache-control'), 'no-store')
})

const other = stranger.created.oauth_client
for (const [operation, run] of [
  ['authorizeOAuthToken', authorize],
  ['issueOAuthToken', issue],
] as const) {
  for (const [title, patch, caller] of [
    ['the client does not exist', { client_id: '0'.repeat(32) }, world.partner],
    ['the client is missing', { client_id: undefined }, world.partner],
    ['the client is not a string', { client_id: 7 }, world.partner],
    ['the client_secret is incorrect', { client_secret: 'wrong' }, world.partner],
    ['the client_secret is missing', { client_secret: undefined }, world.partner],
    ['the client_secret is of another client', { client_secret: other.client_secret }, world.partner],
    ['the partner has no access to the client', {}, stranger.partner],
    ['the caller is not a partner', {}, world],
    ['the credentials are wrong', {}, { ...world.partner, secretKey: 'wrong' }],
    ['everything is wrong', { client_secret: 'wrong', redirect_uri: 'x', scope: 'x' }, world.partner],
  ] as readonly (readonly [string, object, Caller])[])
    test(`${operation}, ${title}: 401`, async () =>
      assertRefused(await run(patch, caller), 401, 40110000, 'unauthorized.'))

  for (const [title, patch, message] of [
    [
      'the redirect URI is a different one',
      { redirect_uri: 'http://localhost:8080' },
      'redirect_uri is invalid',
    ],
    [
      'the redirect URI has a trailing slash',
      { redirect_uri: `${redirect_uri}/` },
      'redirect_uri is invalid',
    ],
    ['the redirect URI is missing', { redirect_uri: undefined }, 'redirect_uri is invalid'],
    ['the scope is unknown', { scope: 'everything' }, 'scope is invalid'],
    ['the scope is more than the client may request', { scope: 'tokenization' }, 'scope is invalid'],
    ['the scope is missing', { scope: undefined }, 'scope is invalid'],
    ['the account is missing', { account_id: undefined }, 'account_id is invalid'],
    ['the account does not exist', { account_id: UNKNOWN_ID }, 'account_id is invalid'],
    ["the account is another partner's", { account_id: stranger.accountId }, 'account_id is invalid'],
  ] as readonly (readonly [string, object, string])[])
    test(`${operation}, ${title}: 422`, async () => assertRefused(await run(patch), 422, 42210000, message))

  test(`${operation}: the client id may have hyphens and capitals`, async () =>
    assert.equal((await run({ client_id: hyphened })).status, 200))
  test(`${operation}: an empty scope is granted`, async () =>
    assert.deepEqual((await run({ scope: '' })).body.scope, ''))
  test(`${operation}: the scope general is granted`, async () =>
    assert.deepEqual((await run({ scope: 'general' })).body.scope, 'general'))
}

for (const path of ['/v1/oauth/authorize', '/v1/oauth/token'])
  test(`${path} with malformed JSON: 400`, async () =>
    assertRefused(await call(world.partner, 'POST', path, '{"client_id":'), 400, 40010000))

test('the code is exchanged at POST /oauth/token, and the token places an order', async () => {
  const { body: authorized } = await authorize({ scope: 'account:write trading' })
  const { status, body, headers } = await exchange(authorized.code)
  assert.equal(status, 200)
  const { access_token: token } = body
  assert.match(token, UUID)
  assert.deepEqual(body, { access_token: token, token_type: 'bearer', scope: 'account:write trading' })
  assert.equal(headers.get('cache-control'), 'no-store')
  const order = await withToken(token, 'POST', '/v2/orders', { ...marketBuy, client_order_id: 'by bearer' })
  assert.deepEqual([order.status, order.body.status], [200, 'pending_new'])
  const found = await get(world, '/v2/orders:by_client_order_id?client_order_id=by%20bearer')
  assert.deepEqual([found.body.id, found.body.status], [order.body.id, 'filled'])
  assert.equal((await withToken(token, 'GET', '/v2/account')).body.id, world.accountId)
})

test('a token acts only for its account', async () => {
  const [, second] = world.created.accounts
  const { body } = await issue({ account_id: second.account_id })
  assert.equal((await withToken(body.access_token, 'GET', '/v2/account')).body.id, second.account_id)
})

test('a code works once: the second exchange fails and revokes the token of the first', async () => {
  const { code } = (await authorize()).body
  const { access_token: token } = (await exchange(code)).body
  const again = await exchange(code)
  assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant'])
  assertRefused(await withToken(token, 'GET', '/v2/account'), 401, 40110000)
})

test('a code expires after one minute', async () => {
  const lateWorld = await newWorld()
  const { oauth_client: app } = lateWorld.created
  const grant = { ...app, scope: 'trading', account_id: lateWorld.accountId }
  const { body } = await call(lateWorld.partner, 'POST', '/v1/oauth/authorize', grant)
  await lateWorld.advance('61s')
  const { status, body: refusal } = await exchange(body.code, app)
  assert.deepEqual([status, refusal.error], [400, 'invalid_grant'])
})

for (const [title, patch, status, error] of [
  ['an unknown code', { code: UNKNOWN_ID }, 400, 'invalid_grant'],
  ['another redirect URI', { redirect_uri: 'http://localhost:8080' }, 400, 'invalid_grant'],
  [
    'a client of another world',
    { client_id: other.client_id, client_secret: other.client_secret },
    400,
    'invalid_grant',
  ],
  ["another client's secret", { client_secret: other.client_secret }, 401, 'invalid_client'],
  ['a wrong secret', { client_secret: 'wrong' }, 401, 'invalid_client'],
  ['another grant type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ['no code', { code: '' }, 400, 'invalid_request'],
] as readonly (readonly [string, Record<string, string>, number, string])[])
  test(`an exchange with ${title}: ${status} ${error}, and the code still works`, async () => {
    const { code } = (await authorize()).body
    const refused = await exchange(code, patch)
    assertRefused(refused, status, status * 100_000 + 10_000)
    assert.deepEqual([refused.body.error, refused.body.error_description], [error, refused.body.message])
    assert.equal((await exchange(code)).status, 200)
  })

const order = { ...marketBuy, type: 'limit', limit_price: '10' }
const mint = {
  underlying_symbol: 'AAPL',
  qty: '1',
  issuer: 'xstocks',
  network: 'base',
  wallet_address: '0x1',
}
const wrongScope = 'token is not authorized for this scope'
const requests = '/v2/tokenization/requests'
for (const [scope, method, path, body, status, message] of [
  ['', 'GET', '/v2/account', undefined, 200, ''],
  ['', 'GET', '/v2/orders', undefined, 200, ''],
  ['', 'GET', requests, undefined, 200, ''],
  ['', 'POST', '/v2/orders', order, 401, wrongScope],
  ['general', 'POST', '/v2/orders', order, 401, wrongScope],
  ['data', 'POST', '/v2/orders', order, 401, wrongScope],
  ['data', 'DELETE', `/v2/orders/${UNKNOWN_ID}`, undefined, 401, wrongScope],
  ['trading', 'POST', '/v2/orders', order, 200, ''],
  ['trading', 'DELETE', `/v2/orders/${UNKNOWN_ID}`, undefined, 404, `order not found for ${UNKNOWN_ID}`],
  ['trading', 'GET', '/v2/stocks/AAPL/trades/latest', undefined, 401, wrongScope],
  ['trading', 'GET', '/v2/stocks/bars?symbols=AAPL&timeframe=1Day', undefined, 401, wrongScope],
  ['data', 'GET', '/v2/stocks/AAPL/trades/latest', undefined, 200, ''],
  ['trading data', 'GET', '/v2/stocks/AAPL/trades/latest', undefined, 200, ''],
  ['', 'GET', '/v2/watchlists', undefined, 200, ''],
  ['', 'GET', '/v2/calendar?end=1970-01-02', undefined, 200, ''],
  ['trading data', 'POST', '/v2/watchlists', { name: 'By token' }, 401, wrongScope],
  ['account:write', 'POST', '/v2/watchlists', { name: 'By token' }, 200, ''],
  ['trading data', 'DELETE', '/v2/watchlists:by_name?name=By%20token', undefined, 401, wrongScope],
  ['account:write trading data', 'POST', '/v2/tokenization/mint', mint, 403, 'forbidden'],
  ['trading', 'GET', `/v1/oauth/clients/${client_id}`, undefined, 401, 'unauthorized.'],
] as readonly (readonly [string, string, string, Body, number, string])[])
  test(`a token of scope "${scope}" at ${method} ${path.replace(/\?.*/, '')}: ${status}`, async () => {
    const { access_token: token } = (await issue({ scope })).body
    const response = await withToken(token, method, path, body)
    if (status === 200) assert.equal(response.status, 200, JSON.stringify(response.body))
    else assertRefused(response, status, status * 100_000 + 10_000, message)
  })
