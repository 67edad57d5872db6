import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, test } from 'node:test'
import { type Called, call, openTestServer } from '../testing/server.ts'
import { oauthHandlers } from './oauth.ts'
import { REDIRECT, registerTestApp, type TestApp } from './testing/apps.ts'

const server = await openTestServer({ handlers: oauthHandlers, failedAttempts: { appFailedAttemptsMax: 3 } })
after(() => server.close())
const { world, partnerKey, accountId } = server
const free = await registerTestApp(world)
const strict = await registerTestApp(world, { settings: { pkceRequired: true } })
const attacked = await registerTestApp(world)

const VERIFIER = 'v'.repeat(43)
const CHALLENGE = hash('sha256', VERIFIER, 'base64url')
const withChallenge = { code_challenge: CHALLENGE, code_challenge_method: 'S256' }

const send = (path: string, app: TestApp, patch: object = {}): Promise<Called> =>
  call(server, `POST ${path}`, {
    key: partnerKey,
    body: {
      client_id: app.clientId,
      client_secret: app.secret,
      redirect_uri: REDIRECT,
      scope: 'trading',
      account_id: accountId,
      ...patch,
    },
  })

const exchange = (app: TestApp, code: string, patch: Record<string, string> = {}): Promise<Called> =>
  call(server, 'POST /oauth/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      client_id: app.clientId,
      client_secret: app.secret,
      redirect_uri: REDIRECT,
      ...patch,
    }).toString(),
  })

for (const [name, app] of [
  ['an app', free],
  ['an app that requires PKCE', strict],
] as const)
  test(`a code of ${name} with a challenge is exchanged only with its verifier`, async () => {
    const { status, body } = await send('/v1/oauth/authorize', app, withChallenge)
    assert.equal(status, 200)
    for (const patch of [{}, { code_verifier: 'w'.repeat(43) }])
      assert.equal(
        (await exchange(app, body.code, patch as Record<string, string>)).body.error,
        'invalid_grant',
      )
    assert.equal((await exchange(app, body.code, { code_verifier: VERIFIER })).status, 200)
  })

for (const [when, app, patch, status] of [
  ['no challenge', free, {}, 200],
  ['nulls', free, { code_challenge: null, code_challenge_method: null }, 200],
  ['a plain challenge', free, { code_challenge: VERIFIER, code_challenge_method: 'plain' }, 422],
  ['a challenge without a method', free, { code_challenge: CHALLENGE }, 422],
  ['a method without a challenge', free, { code_challenge_method: 'S256' }, 422],
  ['a short challenge', free, { ...withChallenge, code_challenge: 'x' }, 422],
  ['a challenge of another type', free, { ...withChallenge, code_challenge: 7 }, 422],
  ['an empty challenge', free, { ...withChallenge, code_challenge: '' }, 422],
  ['no challenge where one is required', strict, {}, 422],
] as const)
  test(`a code requested with ${when}: ${status}`, async () => {
    const response = await send('/v1/oauth/authorize', app, patch)
    assert.equal(response.status, status)
    if (status === 422) assert.equal(response.body.message, 'code_challenge is missing or not S256')
  })

test('a token without a code needs no challenge', async () => {
  assert.equal((await send('/v1/oauth/token', strict)).status, 200)
})

test('wrong secrets of an app get 429 beyond the limit, and its right secret passes', async () => {
  const guess = () => send('/v1/oauth/token', attacked, { client_secret: 'guess' })
  for (let count = 0; count < 3; count++) assert.equal((await guess()).status, 401)
  const response = await guess()
  assert.deepEqual([response.status, response.body.reason], [429, 'tooManyFailedAttempts'])
  assert.ok(Number(response.headers.get('retry-after')) > 0)
  for (const app of [attacked, free]) assert.equal((await send('/v1/oauth/token', app)).status, 200)
})
