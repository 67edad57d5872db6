import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Instant, SECOND } from '@quipu/core'
import { call } from '../testing/server.ts'
import { assertMachineRefused, bearer, type Form, openMachineStage } from './testing/machines.ts'

const server = await openMachineStage()
after(() => server.close())
const { partnerKey, operatorKey, key: tradingKey, url, accountId } = server
const { createKey, keyIds, post, requestToken, requestWithAssertion, signAssertion, tokenUrl } = server
const bySecret = { client_id: partnerKey.keyId, client_secret: partnerKey.secretKey }

test('a partner gets a token for its key and secret, valid for 15 minutes', async () => {
  const { status, body, headers } = await requestToken(bySecret)
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'no-store')
  const { access_token: token, ...rest } = body
  assert.match(token, /^00[0-9a-f]{6}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 900 })
})

for (const [route, status] of [
  ['GET /v1/accounts', 200],
  [`GET /v1/accounts/${accountId}`, 200],
  ['GET /v1/oauth/clients', 200],
  ['GET /v2/stocks/AAPL/trades/latest', 200],
  ['GET /v2/account', 403],
  ['DELETE /v2/orders', 403],
  ['GET /sim/v1/worlds/lab/keys', 403],
] as const)
  test(`a token has the rights of its key at ${route}: ${status}`, async () => {
    const { access_token: token } = (await requestToken(bySecret)).body
    const byKey = await call(server, route, { key: partnerKey })
    const byToken = await call(server, route, bearer(token))
    assert.equal(byToken.status, status)
    assert.deepEqual([byToken.status, byToken.body], [byKey.status, byKey.body])
  })

test("an operator's token controls worlds as its key does", async () => {
  const { keyId, secretKey } = operatorKey
  const { access_token: token } = (await requestToken({ client_id: keyId, client_secret: secretKey })).body
  assert.equal((await call(server, 'GET /sim/v1/worlds/lab/keys', bearer(token))).status, 200)
})

test('a token expires after 15 minutes of world time, and when it is revoked', async () => {
  const [one, two] = [(await requestToken(bySecret)).body, (await requestToken(bySecret)).body]
  const works = async (token: string) => (await call(server, 'GET /v1/accounts', bearer(token))).status
  const revoke = (form: Form) => post('/v1/oauth2/revoke', form)
  const other = { client_id: operatorKey.keyId, client_secret: operatorKey.secretKey }
  assert.deepEqual(
    [(await revoke({ token: one.access_token, ...other })).status, await works(one.access_token)],
    [200, 200],
  )
  assert.deepEqual((await revoke({ token: one.access_token, ...bySecret })).body, {})
  assert.deepEqual([await works(one.access_token), await works(two.access_token)], [401, 200])
  assert.equal((await revoke({ token: 'unknown', ...bySecret })).status, 200)
  assertMachineRefused(
    await revoke({ token: two.access_token, ...bySecret, client_secret: 'x' }),
    401,
    'invalid_client',
  )
  const missing = await revoke(bySecret)
  assert.deepEqual([missing.status, missing.body.error], [400, 'invalid_request'])
  await server.clock.advance((server.clock.now() + 901n * SECOND) as Instant)
  assert.equal(await works(two.access_token), 401)
})

for (const [when, form, status, error, field] of [
  ['no grant type', () => ({ ...bySecret, grant_type: undefined }), 400, 'invalid_request', 'grant_type'],
  ['another grant type', () => ({ ...bySecret, grant_type: 'password' }), 400, 'unsupported_grant_type'],
  [
    'grant type refresh_token',
    () => ({ ...bySecret, grant_type: 'refresh_token' }),
    400,
    'unsupported_grant_type',
  ],
  ['no client', () => ({}), 401, 'invalid_client'],
  ['no secret', () => ({ client_id: partnerKey.keyId }), 401, 'invalid_client'],
  ['no id', () => ({ client_secret: partnerKey.secretKey }), 401, 'invalid_client'],
  ['a wrong secret', () => ({ ...bySecret, client_secret: 'guess' }), 401, 'invalid_client'],
  [
    'the secret of another key',
    () => ({ ...bySecret, client_secret: operatorKey.secretKey }),
    401,
    'invalid_client',
  ],
  ['an unknown key', () => ({ ...bySecret, client_id: 'CK0' }), 401, 'invalid_client'],
  [
    'a secret for a key that signs',
    () => ({ client_id: keyIds.ES256, client_secret: 'x' }),
    401,
    'invalid_client',
  ],
  [
    'a trading key',
    () => ({ client_id: tradingKey.keyId, client_secret: tradingKey.secretKey }),
    400,
    'unauthorized_client',
  ],
] as readonly (readonly [string, () => Form, number, string, string?])[])
  test(`a token requested with ${when}: ${error}`, async () =>
    assertMachineRefused(await requestToken(form()), status, error, field))

test('a secret with an assertion, Basic, and repeated fields are refused', async () => {
  const both = await requestWithAssertion(await signAssertion(), bySecret)
  assert.deepEqual([both.status, both.body.error], [400, 'invalid_request'])
  const { keyId, secretKey } = partnerKey
  const basic = `Basic ${Buffer.from(`${keyId}:${secretKey}`).toString('base64')}`
  const byBasic = await requestToken({}, { authorization: basic })
  assertMachineRefused(byBasic, 401, 'invalid_client')
  assert.match(byBasic.body.error_description, /client_secret_basic is not supported/)
  assert.match(byBasic.headers.get('www-authenticate') ?? '', /^Basic /)
  const twice = await call(server, 'POST /v1/oauth2/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials&grant_type=client_credentials',
  })
  assert.deepEqual([twice.status, twice.body.error], [400, 'invalid_request'])
})

test('revoking a key ends its tokens', async () => {
  const { key_id, secret_key } = (await createKey({})).body
  const { access_token: token } = (await requestToken({ client_id: key_id, client_secret: secret_key })).body
  const works = async () => (await call(server, 'GET /v1/accounts', bearer(token))).status
  assert.equal(await works(), 200)
  const path = `/sim/v1/worlds/lab/keys/${key_id}`
  assert.equal((await call(server, `DELETE ${path}`, { key: operatorKey })).status, 204)
  assert.equal(await works(), 401)
})

test('the metadata of RFC 8414 names the token endpoints', async () => {
  const { status, body } = await call(server, 'GET /.well-known/oauth-authorization-server/v1')
  assert.equal(status, 200)
  assert.deepEqual(
    [body.issuer, body.token_endpoint, body.revocation_endpoint],
    [`${url}/v1`, tokenUrl, `${url}/v1/oauth2/revoke`],
  )
  assert.deepEqual(body.token_endpoint_auth_methods_supported, ['client_secret_post', 'private_key_jwt'])
})

test('a key record has its public key and no secret', async () => {
  const { status, body } = await createKey({ kind: 'operator', public_key: server.publicPem })
  assert.equal(status, 201)
  assert.deepEqual([body.kind, body.public_key.kty, body.public_key.crv], ['operator', 'EC', 'P-256'])
  assert.equal('secret_key' in body, false)
  const listed = (await call(server, 'GET /sim/v1/worlds/lab/keys', { key: operatorKey })).body
  const found = listed.find((one: { key_id: string }) => one.key_id === body.key_id)
  assert.deepEqual(found, body)
  const asJwk = await createKey({ public_key: body.public_key })
  assert.deepEqual(asJwk.body.public_key, body.public_key)
})

for (const [when, body, status, message] of [
  [
    'a malformed public key',
    { public_key: 'key' },
    422,
    /^public_key: expected a public key as PEM or JSON Web Key/,
  ],
  [
    'a public key of an account',
    { kind: 'account', public_key: server.publicPem },
    422,
    /^public_key: expected none/,
  ],
  ['an unknown partner', { partner_id: '00000000-0000-4000-8000-000000000000' }, 404, /^partner not found/],
] as const)
  test(`a key requested with ${when}: ${status}`, async () => {
    const made = await createKey(body)
    assert.equal(made.status, status)
    assert.match(made.body.message, message)
  })
