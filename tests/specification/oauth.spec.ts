import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call } from '../broker.ts'
import {
  type Answer,
  assertRefused,
  bare,
  bearer,
  type Caller,
  get,
  marketBuy,
  NOBODY,
  UUID,
  world,
} from './stage.ts'

const own = await world({ accounts: 2 })
const stranger = await world({ seed: 'stranger' })
const { client_id, client_secret, redirect_uri } = own.created.oauth_client
const request = { client_id, client_secret, redirect_uri, scope: 'trading', account_id: own.accountId }
const hyphened = client_id.toUpperCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

const client = (id: string, who: Caller = own.partner) => get(who, `/v1/oauth/clients/${id}`)
const authorize = (patch: object = {}, who: Caller = own.partner): Promise<Answer> =>
  call(who, 'POST', '/v1/oauth/authorize', { ...request, ...patch })
const issue = (patch: object = {}, who: Caller = own.partner): Promise<Answer> =>
  call(who, 'POST', '/v1/oauth/token', { ...request, ...patch })
const exchange = (code: string, patch: Record<string, string> = {}): Promise<Answer> => {
  const form = { grant_type: 'authorization_code', code, client_id, client_secret, redirect_uri, ...patch }
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  return bare('POST', '/oauth/token', headers, new URLSearchParams(form).toString())
}
const withToken = (token: string, method: string, path: string, body?: object): Promise<Answer> =>
  bare(method, path, bearer(token), body && JSON.stringify(body))

for (const [given, id] of [
  ['its id', client_id],
  ['its id with hyphens and in capitals', hyphened],
  [
    'what the flow carries',
    `${client_id}?response_type=token&redirect_uri=https%3A%2F%2Felsewhere&scope=general`,
  ],
] as const)
  test(`getOAuthClient, by ${given}: 200 with what the authorization page shows`, async () => {
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

for (const [given, ask] of [
  ['the client does not exist', () => client('0'.repeat(32))],
  ['the id is no UUID', () => client('demo')],
  ['the partner has no access to it', () => client(client_id, stranger.partner)],
  ['the caller is no partner', () => client(client_id, own)],
  ['the credentials are wrong', () => client(client_id, { ...own.partner, secretKey: 'wrong' })],
  ['there are no credentials', () => bare('GET', `/v1/oauth/clients/${client_id}`)],
] as const)
  test(`getOAuthClient, ${given}: 401`, async () =>
    assertRefused(await ask(), 401, 40110000, 'unauthorized.'))

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
  for (const [given, patch, who] of [
    ['the client does not exist', { client_id: '0'.repeat(32) }, own.partner],
    ['no client is named', { client_id: undefined }, own.partner],
    ['the client is no text', { client_id: 7 }, own.partner],
    ['the client_secret is incorrect', { client_secret: 'wrong' }, own.partner],
    ['the client_secret is missing', { client_secret: undefined }, own.partner],
    ['the client_secret is of another client', { client_secret: other.client_secret }, own.partner],
    ['the partner has no access to the client', {}, stranger.partner],
    ['the caller is no partner', {}, own],
    ['the credentials are wrong', {}, { ...own.partner, secretKey: 'wrong' }],
    ['all is wrong at once', { client_secret: 'wrong', redirect_uri: 'x', scope: 'x' }, own.partner],
  ] as readonly (readonly [string, object, Caller])[])
    test(`${operation}, ${given}: 401`, async () =>
      assertRefused(await run(patch, who), 401, 40110000, 'unauthorized.'))

  for (const [given, patch, message] of [
    ['the redirect URI is another', { redirect_uri: 'http://localhost:8080' }, 'redirect_uri is invalid'],
    ['the redirect URI has one slash more', { redirect_uri: `${redirect_uri}/` }, 'redirect_uri is invalid'],
    ['the redirect URI is missing', { redirect_uri: undefined }, 'redirect_uri is invalid'],
    ['the scope is unknown', { scope: 'everything' }, 'scope is invalid'],
    ['the scope is more than the client may ask', { scope: 'tokenization' }, 'scope is invalid'],
    ['the scope is missing', { scope: undefined }, 'scope is invalid'],
    ['the account is missing', { account_id: undefined }, 'account_id is invalid'],
    ['the account does not exist', { account_id: NOBODY }, 'account_id is invalid'],
    ["the account is another partner's", { account_id: stranger.accountId }, 'account_id is invalid'],
  ] as readonly (readonly [string, object, string])[])
    test(`${operation}, ${given}: 422`, async () => assertRefused(await run(patch), 422, 42210000, message))

  test(`${operation}: the client id may have hyphens and capitals`, async () =>
    assert.equal((await run({ client_id: hyphened })).status, 200))
  test(`${operation}: an empty scope is granted as asked`, async () =>
    assert.deepEqual((await run({ scope: '' })).body.scope, ''))
  test(`${operation}: the scope general is granted as asked`, async () =>
    assert.deepEqual((await run({ scope: 'general' })).body.scope, 'general'))
}

for (const path of ['/v1/oauth/authorize', '/v1/oauth/token'])
  test(`${path} with half a JSON: 400`, async () =>
    assertRefused(await call(own.partner, 'POST', path, '{"client_id":'), 400, 40010000))

test('the code is exchanged at POST /oauth/token, and the token places an order by Bearer', async () => {
  const { body: authorized } = await authorize({ scope: 'account:write trading' })
  const { status, body, headers } = await exchange(authorized.code)
  assert.equal(status, 200)
  const { access_token: token } = body
  assert.match(token, UUID)
  assert.deepEqual(body, { access_token: token, token_type: 'bearer', scope: 'account:write trading' })
  assert.equal(headers.get('cache-control'), 'no-store')
  const order = await withToken(token, 'POST', '/v2/orders', { ...marketBuy, client_order_id: 'by bearer' })
  assert.deepEqual([order.status, order.body.status], [200, 'pending_new'])
  const found = await get(own, '/v2/orders:by_client_order_id?client_order_id=by%20bearer')
  assert.deepEqual([found.body.id, found.body.status], [order.body.id, 'filled'])
  assert.equal((await withToken(token, 'GET', '/v2/account')).body.id, own.accountId)
})

test('the token of an account acts for that account alone', async () => {
  const [, second] = own.created.accounts
  const { body } = await issue({ account_id: second.account_id })
  assert.equal((await withToken(body.access_token, 'GET', '/v2/account')).body.id, second.account_id)
})

test('a code serves once: the second exchange fails, and the token of the first is worth nothing any more', async () => {
  const { code } = (await authorize()).body
  const { access_token: token } = (await exchange(code)).body
  const again = await exchange(code)
  assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant'])
  assertRefused(await withToken(token, 'GET', '/v2/account'), 401, 40110000)
})

test('a code is worth nothing after its minute', async () => {
  const late = await world()
  const { oauth_client: app } = late.created
  const ask = { ...app, scope: 'trading', account_id: late.accountId }
  const { body } = await call(late.partner, 'POST', '/v1/oauth/authorize', ask)
  await late.advance('61s')
  const { status, body: refusal } = await exchange(body.code, app)
  assert.deepEqual([status, refusal.error], [400, 'invalid_grant'])
})

for (const [given, patch, status, error] of [
  ['a code nobody issued', { code: NOBODY }, 400, 'invalid_grant'],
  ['another redirect URI', { redirect_uri: 'http://localhost:8080' }, 400, 'invalid_grant'],
  [
    'another client, of another world',
    { client_id: other.client_id, client_secret: other.client_secret },
    400,
    'invalid_grant',
  ],
  ["another client's secret", { client_secret: other.client_secret }, 401, 'invalid_client'],
  ['a wrong secret', { client_secret: 'wrong' }, 401, 'invalid_client'],
  ['another grant type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ['no code', { code: '' }, 400, 'invalid_request'],
] as readonly (readonly [string, Record<string, string>, number, string])[])
  test(`an exchange with ${given}: ${status} ${error}, and the code still serves`, async () => {
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
const scoped = 'token is not authorized for this scope'
const none = '/v2/tokenization/requests'
for (const [scope, method, path, body, status, message] of [
  ['', 'GET', '/v2/account', undefined, 200, ''],
  ['', 'GET', '/v2/orders', undefined, 200, ''],
  ['', 'GET', none, undefined, 200, ''],
  ['', 'POST', '/v2/orders', order, 401, scoped],
  ['general', 'POST', '/v2/orders', order, 401, scoped],
  ['data', 'POST', '/v2/orders', order, 401, scoped],
  ['data', 'DELETE', `/v2/orders/${NOBODY}`, undefined, 401, scoped],
  ['trading', 'POST', '/v2/orders', order, 200, ''],
  ['trading', 'DELETE', `/v2/orders/${NOBODY}`, undefined, 404, `order not found for ${NOBODY}`],
  ['trading', 'GET', '/v2/stocks/AAPL/trades/latest', undefined, 401, scoped],
  ['trading', 'GET', '/v2/stocks/bars?symbols=AAPL&timeframe=1Day', undefined, 401, scoped],
  ['data', 'GET', '/v2/stocks/AAPL/trades/latest', undefined, 200, ''],
  ['trading data', 'GET', '/v2/stocks/AAPL/trades/latest', undefined, 200, ''],
  ['', 'GET', '/v2/watchlists', undefined, 200, ''],
  ['', 'GET', '/v2/calendar?end=1970-01-02', undefined, 200, ''],
  ['trading data', 'POST', '/v2/watchlists', { name: 'By token' }, 401, scoped],
  ['account:write', 'POST', '/v2/watchlists', { name: 'By token' }, 200, ''],
  ['trading data', 'DELETE', '/v2/watchlists:by_name?name=By%20token', undefined, 401, scoped],
  ['account:write trading data', 'POST', '/v2/tokenization/mint', mint, 403, 'forbidden'],
  ['trading', 'GET', `/v1/oauth/clients/${client_id}`, undefined, 401, 'unauthorized.'],
] as readonly (readonly [string, string, string, Body, number, string])[])
  test(`a token of scope "${scope}" at ${method} ${path.replace(/\?.*/, '')}: ${status}`, async () => {
    const { access_token: token } = (await issue({ scope })).body
    const answer = await withToken(token, method, path, body)
    if (status === 200) assert.equal(answer.status, 200, JSON.stringify(answer.body))
    else assertRefused(answer, status, status * 100_000 + 10_000, message)
  })
