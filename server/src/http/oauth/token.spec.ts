import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { limitFailedAttempts } from '@quipu/broker/access/failed-attempts.ts'
import { definedFields, type Instant } from '@quipu/core'
import { call } from '../testing/server.ts'
import { consentTestCode, issueTestCode, REDIRECT, registerPublicTestApp, testProof } from './testing/apps.ts'
import {
  account,
  clientFields,
  exchange,
  introspect,
  openScene,
  refresh,
  revoke,
  type Scene,
  tokens,
} from './testing/tokens.ts'

const codeOf = (scene: Scene, challenge?: string, scope?: string): Promise<string> =>
  issueTestCode(scene.world, scene.app, scene.accountId, definedFields({ challenge, scope }))

const { verifier, challenge } = testProof()
const SHORT = 'a'.repeat(42)
const LONG = 'a'.repeat(129)

for (const [when, sentChallenge, sentVerifier, error] of [
  ['the verifier of its challenge', challenge, verifier, undefined],
  ['another verifier', challenge, testProof().verifier, 'invalid_grant'],
  ['the challenge as the verifier', challenge, challenge, 'invalid_grant'],
  ['no verifier where a challenge was sent', challenge, undefined, 'invalid_grant'],
  ['an empty verifier where a challenge was sent', challenge, '', 'invalid_grant'],
  ['a verifier where no challenge was sent', undefined, verifier, 'invalid_grant'],
  ['a verifier that is too short', challenge, SHORT, 'invalid_request'],
  ['a verifier that is too long', challenge, LONG, 'invalid_request'],
  ['a verifier with other characters', challenge, `${verifier.slice(0, -1)}+`, 'invalid_request'],
  ['two verifiers', challenge, [verifier, verifier], 'invalid_request'],
] as const)
  test(`an exchange with ${when}: ${error ?? 'a token'}; a failed exchange keeps the code valid`, async (t) => {
    const scene = await openScene(t)
    const code = await codeOf(scene, sentChallenge)
    const { status, body } = await exchange(scene, code, { code_verifier: sentVerifier })
    assert.deepEqual([status, body.error], [error ? 400 : 200, error])
    if (!error) return
    const right = await exchange(scene, code, sentChallenge ? { code_verifier: verifier } : {})
    assert.equal(right.status, 200)
  })

test('the longest and the shortest verifier are accepted', async (t) => {
  const scene = await openScene(t)
  for (const proof of ['~'.repeat(43), '._~-'.repeat(32)]) {
    const code = await codeOf(scene, hash('sha256', proof, 'base64url'))
    assert.equal((await exchange(scene, code, { code_verifier: proof })).status, 200)
  }
})

test('a public app exchanges its code and refreshes without a secret, and is refused with one', async (t) => {
  const scene = await openScene(t)
  const settings = { isPublic: true, tokenSeconds: 600 }
  const app = await registerPublicTestApp(scene.world, settings)
  const code = await consentTestCode(scene.world, app, scene.accountId, { challenge })
  const client = { client_id: app.clientId, code_verifier: verifier }
  const withSecret = await exchange(scene, code, { ...client, client_secret: scene.app.secret })
  assert.equal(withSecret.body.error, 'invalid_client')
  const { status, body } = await exchange(scene, code, { ...client, client_secret: undefined })
  assert.equal(status, 200)
  const clientOnly = { client_id: app.clientId, client_secret: undefined }
  assert.equal((await refresh(scene, body.refresh_token, clientOnly)).status, 200)
})

test('an error names the parameter: missing, repeated or malformed', async (t) => {
  const scene = await openScene(t)
  const rows = [
    [{ grant_type: undefined }, 'grant_type is missing'],
    [{ code: undefined }, 'code is missing'],
    [{ redirect_uri: undefined }, 'redirect_uri is missing'],
    [{ grant_type: 'refresh_token' }, 'refresh_token is missing'],
    [{ grant_type: ['authorization_code', 'authorization_code'] }, 'grant_type is given more than once'],
    [{ code: ['a', 'b'] }, 'code is given more than once'],
    [{ client_id: [scene.app.clientId, scene.app.clientId] }, 'client_id is given more than once'],
    [{ client_secret: [scene.app.secret, 'x'] }, 'client_secret is given more than once'],
    [{ redirect_uri: [REDIRECT, REDIRECT] }, 'redirect_uri is given more than once'],
    [{ scope: ['data', 'data'] }, 'scope is given more than once'],
    [{ refresh_token: ['a', 'b'] }, 'refresh_token is given more than once'],
    [{ client_secret: 's'.repeat(257) }, 'client_secret is invalid'],
  ] as const
  for (const [patch, message] of rows) {
    const { status, body, headers } = await exchange(scene, 'a code', patch)
    assert.deepEqual([status, body.error, body.error_description], [400, 'invalid_request', message])
    assert.equal(body.message, message)
    assert.equal(headers.get('cache-control'), 'no-store')
  }
})

test('an unknown parameter may be repeated, and an empty parameter counts as missing', async (t) => {
  const scene = await openScene(t)
  const code = await codeOf(scene)
  const { status } = await exchange(scene, code, { resource: ['a', 'b'], code_verifier: '', scope: '' })
  assert.equal(status, 200)
})

test('a JSON body is accepted', async (t) => {
  const scene = await openScene(t)
  const fields = { grant_type: 'authorization_code', redirect_uri: REDIRECT, ...clientFields(scene.app) }
  const sent = (body: unknown) => call(scene, 'POST /oauth/token', { body })
  assert.equal((await sent({ ...fields, code: await codeOf(scene) })).status, 200)
  for (const wrong of [{ ...fields, code: 7 }, { ...fields, code: ['a'] }, 'no { JSON', '{', '[]'])
    assert.equal((await sent(wrong)).body.error, 'invalid_request', JSON.stringify(wrong))
})

test('an error before client authentication has the same format', async (t) => {
  const scene = await openScene(t, {}, { limits: { bodyMaxBytes: 100 } })
  const { status, body } = await exchange(scene, 'a'.repeat(100))
  assert.equal(status, 413)
  assert.equal(body.error, 'invalid_request')
  assert.equal(body.error_description, body.message)
})

test('a token without a lifetime does not expire and has no refresh token', async (t) => {
  const scene = await openScene(t)
  const { body } = await exchange(scene, await codeOf(scene))
  assert.deepEqual(Object.keys(body).sort(), ['access_token', 'scope', 'token_type'])
})

test('a token with a lifetime expires, and its refresh token gets a new one', async (t) => {
  const scene = await openScene(t, { tokenSeconds: 600 })
  const { body } = await exchange(scene, await codeOf(scene, undefined, 'trading data'))
  assert.deepEqual([body.expires_in, body.scope, body.token_type], [600, 'trading data', 'bearer'])
  assert.match(body.refresh_token, /^[\w-]{43}$/)
  await scene.clock.advance((scene.clock.now() + 601_000_000_000n) as Instant)
  assert.equal((await account(scene, body.access_token)).status, 401)
  const next = await refresh(scene, body.refresh_token)
  assert.deepEqual([next.status, next.body.expires_in, next.body.scope], [200, 600, 'trading data'])
  assert.notEqual(next.body.refresh_token, body.refresh_token)
  assert.notEqual(next.body.access_token, body.access_token)
  assert.equal(next.headers.get('cache-control'), 'no-store')
  assert.equal((await account(scene, next.body.access_token)).status, 200)
  // A refresh token is not an access token.
  assert.equal((await account(scene, next.body.refresh_token)).status, 401)
})

test('reusing an older refresh token revokes all tokens of the consent', async (t) => {
  const scene = await openScene(t, { tokenSeconds: 600 })
  const first = await tokens(scene)
  const second = (await refresh(scene, first.refresh)).body
  const third = (await refresh(scene, second.refresh_token)).body
  assert.equal((await account(scene, first.access)).status, 200)
  const again = await refresh(scene, first.refresh)
  assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant'])
  assert.match(again.body.error_description, /^the refresh token is/)
  for (const token of [first.access, second.access_token, third.access_token])
    assert.equal((await account(scene, token)).status, 401)
  assert.equal((await refresh(scene, third.refresh_token)).body.error, 'invalid_grant')
})

for (const [scope, expected] of [
  [undefined, 'trading data'],
  ['trading data', 'trading data'],
  ['data trading', 'data trading'],
  ['data', 'data'],
  ['general', 'general'],
  ['trading data account:write', 'invalid_scope'],
  ['everything', 'invalid_scope'],
] as const)
  test(`a refresh of "trading data" that requests ${scope ?? 'no scope'}: ${expected}`, async (t) => {
    const scene = await openScene(t, { tokenSeconds: 600 })
    const first = await tokens(scene)
    const { status, body } = await refresh(scene, first.refresh, { scope })
    assert.equal(body.scope ?? body.error, expected)
    if (status !== 200) return assert.equal((await refresh(scene, first.refresh)).status, 200)
    // The narrower scope applies only to this token.
    const bearer = { headers: { authorization: `Bearer ${body.access_token}` } }
    const data = await call(scene, 'GET /v2/stocks/bars/latest?symbols=AAPL', bearer)
    assert.equal(data.status, expected.includes('data') ? 200 : 401)
    assert.equal((await refresh(scene, body.refresh_token)).body.scope, 'trading data')
  })

test('another app cannot use a refresh token, and its attempt revokes nothing', async (t) => {
  const scene = await openScene(t, { tokenSeconds: 600 })
  const first = await tokens(scene)
  const stolen = await refresh(scene, first.refresh, clientFields(scene.other))
  assert.equal(stolen.body.error, 'invalid_grant')
  assert.equal((await refresh(scene, first.access)).body.error, 'invalid_grant')
  assert.equal((await refresh(scene, first.refresh)).status, 200)
})

test('wrong secrets get 429 with a Retry-After beyond the limit, and the right one passes', async (t) => {
  const failedAttempts = limitFailedAttempts({ appFailedAttemptsMax: 3 })
  const scene = await openScene(t, {}, { security: { failedAttempts }, settings: { trustProxy: true } })
  const { access } = await tokens(scene)
  const from = (address: string) => ({ 'x-forwarded-for': address })
  for (const post of [exchange, revoke, introspect])
    assert.equal((await post(scene, 'x', { client_secret: 'a guess' }, from('192.0.2.1'))).status, 401)
  for (const post of [exchange, refresh, revoke, introspect]) {
    const { status, body, headers } = await post(
      scene,
      access,
      { client_secret: 'a guess' },
      from('192.0.2.1'),
    )
    assert.deepEqual([status, body.error], [429, 'temporarily_unavailable'])
    assert.ok(Number(headers.get('retry-after')) > 0)
  }
  for (const address of ['192.0.2.1', '192.0.2.2'])
    assert.equal((await introspect(scene, access, {}, from(address))).body.active, true)
})
