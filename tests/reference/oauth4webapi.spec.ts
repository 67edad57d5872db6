import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { freePort } from '../../broker/src/postgres/testing/free-port.ts'
import { type App, newApp, REDIRECT } from '../oauth/app.ts'
import { type Body, type Broker, call, startBroker } from '../support/broker.ts'
import {
  byPage,
  byPartner,
  type CodeFlow,
  clientOf,
  coverage,
  deniedOnPage,
  discover,
  plain,
  requestCode,
} from './oauth4webapi.ts'

let broker: Broker
let as: oauth.AuthorizationServer
let app: App
let publicApp: App
before(async () => {
  broker = await startBroker()
  as = await discover(broker.url)
  app = await newApp(broker, { token_expires_in: 600 })
  publicApp = { ...(await newApp(broker, { token_expires_in: 600, public: true })), secret: '' }
})
after(() => broker.stop())

type Tokens = Awaited<ReturnType<typeof oauth.processAuthorizationCodeResponse>>

async function tokensBy(codeFlow: CodeFlow, auth: oauth.ClientAuth, clientApp = app): Promise<Tokens> {
  const { params, verifier } = await requestCode(broker, as, clientApp, codeFlow)
  const client = clientOf(clientApp)
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    auth,
    params,
    REDIRECT,
    verifier,
    plain,
  )
  return oauth.processAuthorizationCodeResponse(as, client, response)
}

async function refresh(
  token: string,
  auth: oauth.ClientAuth,
  clientApp = app,
  scope?: string,
): Promise<Tokens> {
  const client = clientOf(clientApp)
  const more = scope === undefined ? {} : { additionalParameters: { scope } }
  const response = await oauth.refreshTokenGrantRequest(as, client, auth, token, { ...plain, ...more })
  return oauth.processRefreshTokenResponse(as, client, response)
}

async function introspect(
  token: string,
  auth: oauth.ClientAuth,
  clientApp = app,
): Promise<oauth.IntrospectionResponse> {
  const client = clientOf(clientApp)
  const response = await oauth.introspectionRequest(as, client, auth, token, plain)
  return oauth.processIntrospectionResponse(as, client, response)
}

async function revoke(token: string, auth: oauth.ClientAuth, clientApp = app): Promise<void> {
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(as, clientOf(clientApp), auth, token, plain),
  )
}

/** The status and error code of a refusal, as parsed by the library. */
async function refusal(refused: Promise<unknown>): Promise<readonly [number, string]> {
  const error = await refused.then(
    () => assert.fail('expected a refusal'),
    (reason: unknown) => reason,
  )
  if (error instanceof oauth.WWWAuthenticateChallengeError) return [error.status, error.cause[0]!.scheme]
  assert.ok(error instanceof oauth.ResponseBodyError, String(error))
  assert.ok(error.error_description)
  return [error.status, error.error]
}

test('discovery returns the capabilities of the server', () => {
  assert.equal(as.issuer, broker.url)
  assert.deepEqual(as.code_challenge_methods_supported, ['S256'])
  assert.equal(as.authorization_response_iss_parameter_supported, true)
})

test('with a public URL all endpoints in the metadata have that URL', async (t) => {
  const url = 'https://broker.example'
  const port = await freePort()
  const behind = await startBroker(['--data', 'memory', '--port', String(port)], {
    QUIPU_PUBLIC_URL: `${url}/`,
  })
  t.after(behind.stop)
  const metadata = await discover(`http://127.0.0.1:${port}`, url)
  assert.equal(metadata.issuer, url)
  for (const [name, address] of Object.entries(metadata))
    if (name.endsWith('_endpoint')) assert.ok(String(address).startsWith(`${url}/oauth/`), name)
})

const codeFlows: readonly (readonly [string, CodeFlow])[] = [
  ['the page of a partner', byPartner],
  ['the page of the server', byPage],
]
const auths: readonly (readonly [string, (app: App) => oauth.ClientAuth, () => App])[] = [
  ['the secret in the form', ({ secret }) => oauth.ClientSecretPost(secret), () => app],
  ['the secret by Basic', ({ secret }) => oauth.ClientSecretBasic(secret), () => app],
  ['no secret', () => oauth.None(), () => publicApp],
]
for (const [where, codeFlow] of codeFlows)
  for (const [how, authOf, appOf] of auths) {
    if (codeFlow === byPartner && how === 'no secret') continue
    test(`code by ${where} with PKCE, ${how}: token, refresh, introspection, revocation`, async () => {
      const clientApp = appOf()
      const auth = authOf(clientApp)
      const first = await tokensBy(codeFlow, auth, clientApp)
      assert.deepEqual([first.token_type, first.expires_in, first.scope], ['bearer', 600, 'trading data'])
      const read = await oauth.protectedResourceRequest(
        first.access_token,
        'GET',
        new URL(`${broker.url}/v2/account`),
        undefined,
        undefined,
        plain,
      )
      assert.equal(((await read.json()) as Body).id, broker.accountId)
      const next = await refresh(first.refresh_token!, auth, clientApp)
      assert.notEqual(next.refresh_token, first.refresh_token)
      if (how === 'no secret') {
        assert.deepEqual(await refusal(introspect(next.access_token, auth, clientApp)), [401, 'basic'])
        await revoke(next.refresh_token!, auth, clientApp)
        return assert.deepEqual(await refusal(refresh(next.refresh_token!, auth, clientApp)), [
          400,
          'invalid_grant',
        ])
      }
      const introspected = await introspect(next.access_token, auth, clientApp)
      assert.equal(introspected.active, true)
      assert.deepEqual(
        [introspected.client_id, introspected.sub, introspected.iss],
        [clientApp.clientId, broker.accountId, as.issuer],
      )
      assert.equal(introspected.exp! - introspected.iat!, 600)
      await revoke(next.refresh_token!, auth, clientApp)
      assert.deepEqual(await introspect(next.access_token, auth, clientApp), { active: false })
      assert.deepEqual(await introspect(first.access_token, auth, clientApp), { active: false })
      await revoke('unknown', auth, clientApp)
    })
  }

test('a reused code, a wrong verifier and a wrong secret are errors that the library parses', async () => {
  const client = clientOf(app)
  const auth = oauth.ClientSecretPost(app.secret)
  const { params, verifier } = await requestCode(broker, as, app, byPartner)
  const exchange = async (by: oauth.ClientAuth, proof: string | typeof oauth.nopkce) =>
    oauth.processAuthorizationCodeResponse(
      as,
      client,
      await oauth.authorizationCodeGrantRequest(as, client, by, params, REDIRECT, proof, plain),
    )
  const wrong = oauth.generateRandomCodeVerifier()
  assert.deepEqual(await refusal(exchange(auth, wrong)), [400, 'invalid_grant'])
  assert.deepEqual(await refusal(exchange(auth, oauth.nopkce)), [400, 'invalid_grant'])
  assert.deepEqual(await refusal(exchange(oauth.ClientSecretPost('wrong'), verifier)), [401, 'basic'])
  assert.deepEqual(await refusal(exchange(oauth.None(), verifier)), [401, 'basic'])
  const tokens = await exchange(auth, verifier)
  assert.deepEqual(await refusal(exchange(auth, verifier)), [400, 'invalid_grant'])
  assert.deepEqual(await introspect(tokens.access_token, auth), { active: false })
})

test('a refresh may reduce the scope but not extend it', async () => {
  const auth = oauth.ClientSecretBasic(app.secret)
  const first = await tokensBy(byPartner, auth)
  assert.deepEqual(await refusal(refresh(first.refresh_token!, auth, app, 'account:write')), [
    400,
    'invalid_scope',
  ])
  const less = await refresh(first.refresh_token!, auth, app, 'data')
  assert.equal(less.scope, 'data')
  assert.equal((await introspect(less.access_token, auth)).scope, 'data')
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  const refused = await oauth
    .protectedResourceRequest(
      less.access_token,
      'POST',
      new URL(`${broker.url}/v2/orders`),
      new Headers({ 'content-type': 'application/json' }),
      JSON.stringify(order),
      plain,
    )
    .catch((error: unknown) => error)
  assert.ok(refused instanceof oauth.WWWAuthenticateChallengeError)
  assert.equal(refused.cause[0]?.parameters.error, 'insufficient_scope')
})

test('a refresh token that is reused once gets one more pair, and a third use revokes all tokens', async () => {
  const auth = oauth.ClientSecretPost(app.secret)
  const first = await tokensBy(byPartner, auth)
  const second = await refresh(first.refresh_token!, auth)
  const again = await refresh(first.refresh_token!, auth)
  assert.equal((await introspect(again.access_token, auth)).active, true)
  assert.deepEqual(await refusal(refresh(first.refresh_token!, auth)), [400, 'invalid_grant'])
  assert.deepEqual(await refusal(refresh(second.refresh_token!, auth)), [400, 'invalid_grant'])
  assert.deepEqual(await introspect(second.access_token, auth), { active: false })
})

test('a denied request returns an error that the library parses', async () => {
  const denied = requestCode(broker, as, app, deniedOnPage)
  await assert.rejects(denied, (error: unknown) => {
    assert.ok(error instanceof oauth.AuthorizationResponseError)
    assert.equal(error.error, 'access_denied')
    return true
  })
})

test('a partner introspects the token of an app with its key', async () => {
  const auth = oauth.ClientSecretPost(app.secret)
  const { access_token: token } = await tokensBy(byPartner, auth)
  const partner = { ...broker, keyId: broker.brokerKey, secretKey: broker.brokerSecret }
  const { body } = await call(partner, 'POST', '/oauth/introspect', new URLSearchParams({ token }).toString())
  assert.deepEqual([body.active, body.client_id], [true, app.clientId])
  assert.deepEqual(body.accounts, [{ id: broker.accountId, env: 'paper' }])
})

test('the compatibility page lists exactly what this file uses', () =>
  coverage.assertMatches(import.meta.filename))
