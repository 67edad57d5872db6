import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import type { Instant } from '@quipu/core'
import { limitFailedAttempts } from '../../access/failed-attempts.ts'
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

const codeOf = (made: Scene, challenge?: string, scope?: string): Promise<string> =>
  issueTestCode(made.world, made.app, made.accountId, {
    ...(challenge === undefined ? {} : { challenge }),
    ...(scope === undefined ? {} : { scope }),
  })

const { verifier, challenge } = testProof()
const SHORT = 'a'.repeat(42)
const LONG = 'a'.repeat(129)

for (const [when, asked, given, then] of [
  ['the verifier of its challenge', challenge, verifier, undefined],
  ['another verifier', challenge, testProof().verifier, 'invalid_grant'],
  ['the challenge for a verifier', challenge, challenge, 'invalid_grant'],
  ['no verifier where a challenge was sent', challenge, undefined, 'invalid_grant'],
  ['an empty verifier where a challenge was sent', challenge, '', 'invalid_grant'],
  ['a verifier where no challenge was sent', undefined, verifier, 'invalid_grant'],
  ['a verifier that is too short', challenge, SHORT, 'invalid_request'],
  ['a verifier that is too long', challenge, LONG, 'invalid_request'],
  ['a verifier of other letters', challenge, `${verifier.slice(0, -1)}+`, 'invalid_request'],
  ['two verifiers', challenge, [verifier, verifier], 'invalid_request'],
] as const)
  test(`an exchange with ${when}: ${then ?? 'a token'}; the code then serves with the right one`, async (t) => {
    const made = await openScene(t)
    const code = await codeOf(made, asked)
    const { status, body } = await exchange(made, code, { code_verifier: given })
    assert.deepEqual([status, body.error], [then ? 400 : 200, then])
    if (!then) return
    const right = await exchange(made, code, asked ? { code_verifier: verifier } : {})
    assert.equal(right.status, 200)
  })

test('the longest and the shortest verifier serve', async (t) => {
  const made = await openScene(t)
  for (const proof of ['~'.repeat(43), '._~-'.repeat(32)]) {
    const code = await codeOf(made, hash('sha256', proof, 'base64url'))
    assert.equal((await exchange(made, code, { code_verifier: proof })).status, 200)
  }
})

test('a public app exchanges its code and refreshes without a secret, and is refused with one', async (t) => {
  const made = await openScene(t)
  const settings = { isPublic: true, tokenSeconds: 600 }
  const app = await registerPublicTestApp(made.world, settings)
  const code = await consentTestCode(made.world, app, made.accountId, { challenge })
  const own = { client_id: app.clientId, code_verifier: verifier }
  const guessed = await exchange(made, code, { ...own, client_secret: made.app.secret })
  assert.equal(guessed.body.error, 'invalid_client')
  const { status, body } = await exchange(made, code, { ...own, client_secret: undefined })
  assert.equal(status, 200)
  const asItself = { client_id: app.clientId, client_secret: undefined }
  assert.equal((await refresh(made, body.refresh_token, asItself)).status, 200)
})

test('parameters are told by name: missing, twice, or not as expected', async (t) => {
  const made = await openScene(t)
  const rows = [
    [{ grant_type: undefined }, 'grant_type is missing'],
    [{ code: undefined }, 'code is missing'],
    [{ redirect_uri: undefined }, 'redirect_uri is missing'],
    [{ grant_type: 'refresh_token' }, 'refresh_token is missing'],
    [{ grant_type: ['authorization_code', 'authorization_code'] }, 'grant_type is given more than once'],
    [{ code: ['a', 'b'] }, 'code is given more than once'],
    [{ client_id: [made.app.clientId, made.app.clientId] }, 'client_id is given more than once'],
    [{ client_secret: [made.app.secret, 'x'] }, 'client_secret is given more than once'],
    [{ redirect_uri: [REDIRECT, REDIRECT] }, 'redirect_uri is given more than once'],
    [{ scope: ['data', 'data'] }, 'scope is given more than once'],
    [{ refresh_token: ['a', 'b'] }, 'refresh_token is given more than once'],
    [{ client_secret: 's'.repeat(257) }, 'client_secret is invalid'],
  ] as const
  for (const [patch, then] of rows) {
    const { status, body, headers } = await exchange(made, 'a code', patch)
    assert.deepEqual([status, body.error, body.error_description], [400, 'invalid_request', then])
    assert.equal(body.message, then)
    assert.equal(headers.get('cache-control'), 'no-store')
  }
})

test('what nobody knows may come twice, and an empty parameter is none', async (t) => {
  const made = await openScene(t)
  const code = await codeOf(made)
  const { status } = await exchange(made, code, { resource: ['a', 'b'], code_verifier: '', scope: '' })
  assert.equal(status, 200)
})

test('a body of JSON is read as well', async (t) => {
  const made = await openScene(t)
  const fields = { grant_type: 'authorization_code', redirect_uri: REDIRECT, ...clientFields(made.app) }
  const sent = (body: unknown) => call(made, 'POST /oauth/token', { body })
  assert.equal((await sent({ ...fields, code: await codeOf(made) })).status, 200)
  for (const wrong of [{ ...fields, code: 7 }, { ...fields, code: ['a'] }, 'no { JSON', '{', '[]'])
    assert.equal((await sent(wrong)).body.error, 'invalid_request', JSON.stringify(wrong))
})

test('whatever stops a request before its app is looked at is told in the same form', async (t) => {
  const made = await openScene(t, {}, { limits: { bodyMaxBytes: 100 } })
  const { status, body } = await exchange(made, 'a'.repeat(100))
  assert.equal(status, 413)
  assert.equal(body.error, 'invalid_request')
  assert.equal(body.error_description, body.message)
})

test('a token of an app without a lifetime has no end and nothing to refresh', async (t) => {
  const made = await openScene(t)
  const { body } = await exchange(made, await codeOf(made))
  assert.deepEqual(Object.keys(body).sort(), ['access_token', 'scope', 'token_type'])
})

test('a token with a lifetime ends, and its refresh token gets the next', async (t) => {
  const made = await openScene(t, { tokenSeconds: 600 })
  const { body } = await exchange(made, await codeOf(made, undefined, 'trading data'))
  assert.deepEqual([body.expires_in, body.scope, body.token_type], [600, 'trading data', 'bearer'])
  assert.match(body.refresh_token, /^[\w-]{43}$/)
  await made.clock.advance((made.clock.now() + 601_000_000_000n) as Instant)
  assert.equal((await account(made, body.access_token)).status, 401)
  const next = await refresh(made, body.refresh_token)
  assert.deepEqual([next.status, next.body.expires_in, next.body.scope], [200, 600, 'trading data'])
  assert.notEqual(next.body.refresh_token, body.refresh_token)
  assert.notEqual(next.body.access_token, body.access_token)
  assert.equal(next.headers.get('cache-control'), 'no-store')
  assert.equal((await account(made, next.body.access_token)).status, 200)
  // A refresh token opens nothing itself.
  assert.equal((await account(made, next.body.refresh_token)).status, 401)
})

test('a refresh token before the previous one revokes everything that came of it', async (t) => {
  const made = await openScene(t, { tokenSeconds: 600 })
  const first = await tokens(made)
  const second = (await refresh(made, first.refresh)).body
  const third = (await refresh(made, second.refresh_token)).body
  assert.equal((await account(made, first.access)).status, 200)
  const again = await refresh(made, first.refresh)
  assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant'])
  assert.match(again.body.error_description, /^the refresh token is/)
  for (const token of [first.access, second.access_token, third.access_token])
    assert.equal((await account(made, token)).status, 401)
  assert.equal((await refresh(made, third.refresh_token)).body.error, 'invalid_grant')
})

for (const [asked, then] of [
  [undefined, 'trading data'],
  ['trading data', 'trading data'],
  ['data trading', 'data trading'],
  ['data', 'data'],
  ['general', 'general'],
  ['trading data account:write', 'invalid_scope'],
  ['everything', 'invalid_scope'],
] as const)
  test(`a refresh of "trading data" that asks for ${asked ?? 'nothing'}: ${then}`, async (t) => {
    const made = await openScene(t, { tokenSeconds: 600 })
    const first = await tokens(made)
    const { status, body } = await refresh(made, first.refresh, { scope: asked })
    assert.equal(body.scope ?? body.error, then)
    if (status !== 200) return assert.equal((await refresh(made, first.refresh)).status, 200)
    // What was narrowed holds for this token alone.
    const asset = { headers: { authorization: `Bearer ${body.access_token}` } }
    const data = await call(made, 'GET /v2/stocks/bars/latest?symbols=AAPL', asset)
    assert.equal(data.status, then.includes('data') ? 200 : 401)
    assert.equal((await refresh(made, body.refresh_token)).body.scope, 'trading data')
  })

test('another app cannot use a refresh token, and its trial ends nothing', async (t) => {
  const made = await openScene(t, { tokenSeconds: 600 })
  const first = await tokens(made)
  const stolen = await refresh(made, first.refresh, clientFields(made.other))
  assert.equal(stolen.body.error, 'invalid_grant')
  assert.equal((await refresh(made, first.access)).body.error, 'invalid_grant')
  assert.equal((await refresh(made, first.refresh)).status, 200)
})

test('wrong secrets get 429 with a Retry-After beyond the limit, and the right one passes', async (t) => {
  const failedAttempts = limitFailedAttempts({ appFailedAttemptsMax: 3 })
  const made = await openScene(t, {}, { services: { failedAttempts, trustProxy: true } })
  const { access } = await tokens(made)
  const from = (address: string) => ({ 'x-forwarded-for': address })
  for (const ask of [exchange, revoke, introspect])
    assert.equal((await ask(made, 'x', { client_secret: 'a guess' }, from('192.0.2.1'))).status, 401)
  for (const ask of [exchange, refresh, revoke, introspect]) {
    const { status, body, headers } = await ask(made, access, { client_secret: 'a guess' }, from('192.0.2.1'))
    assert.deepEqual([status, body.error], [429, 'temporarily_unavailable'])
    assert.ok(Number(headers.get('retry-after')) > 0)
  }
  for (const address of ['192.0.2.1', '192.0.2.2'])
    assert.equal((await introspect(made, access, {}, from(address))).body.active, true)
})
