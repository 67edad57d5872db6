import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { type Body, type Broker, call, startBroker } from '../broker.ts'
import { type App, newApp, REDIRECT } from '../oauth/app.ts'
import {
  askFor,
  byPage,
  byPartner,
  clientOf,
  deniedOnPage,
  discovered,
  plain,
  type Way,
  witness,
} from './oauth4webapi.ts'

let broker: Broker
let as: oauth.AuthorizationServer
let app: App
let publicApp: App
before(async () => {
  broker = await startBroker()
  as = await discovered(broker.url)
  app = await newApp(broker, { token_expires_in: 600 })
  publicApp = { ...(await newApp(broker, { token_expires_in: 600, public: true })), secret: '' }
})
after(() => broker.stop())

type Tokens = Awaited<ReturnType<typeof oauth.processAuthorizationCodeResponse>>

async function tokensBy(way: Way, auth: oauth.ClientAuth, whose = app): Promise<Tokens> {
  const { params, verifier } = await askFor(broker, as, whose, way)
  const client = clientOf(whose)
  const answer = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    auth,
    params,
    REDIRECT,
    verifier,
    plain,
  )
  return oauth.processAuthorizationCodeResponse(as, client, answer)
}

async function refreshed(
  token: string,
  auth: oauth.ClientAuth,
  whose = app,
  scope?: string,
): Promise<Tokens> {
  const client = clientOf(whose)
  const more = scope === undefined ? {} : { additionalParameters: { scope } }
  const answer = await oauth.refreshTokenGrantRequest(as, client, auth, token, { ...plain, ...more })
  return oauth.processRefreshTokenResponse(as, client, answer)
}

async function state(
  token: string,
  auth: oauth.ClientAuth,
  whose = app,
): Promise<oauth.IntrospectionResponse> {
  const client = clientOf(whose)
  const answer = await oauth.introspectionRequest(as, client, auth, token, plain)
  return oauth.processIntrospectionResponse(as, client, answer)
}

async function revoked(token: string, auth: oauth.ClientAuth, whose = app): Promise<void> {
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(as, clientOf(whose), auth, token, plain),
  )
}

/** What the library makes of a refusal: status and the standard's word. */
async function refusal(refused: Promise<unknown>): Promise<readonly [number, string]> {
  const error = await refused.then(
    () => assert.fail('it was not refused'),
    (reason: unknown) => reason,
  )
  if (error instanceof oauth.WWWAuthenticateChallengeError) return [error.status, error.cause[0]!.scheme]
  assert.ok(error instanceof oauth.ResponseBodyError, String(error))
  assert.ok(error.error_description)
  return [error.status, error.error]
}

test('the server is found, and says what it can do', () => {
  assert.equal(as.issuer, broker.url)
  assert.deepEqual(as.code_challenge_methods_supported, ['S256'])
  assert.equal(as.authorization_response_iss_parameter_supported, true)
})

test('behind another address all that is said names that address', async (t) => {
  const url = 'https://broker.example'
  const port = await freePort()
  const behind = await startBroker(['--data', 'memory', '--port', String(port)], {
    QUIPU_PUBLIC_URL: `${url}/`,
  })
  t.after(behind.stop)
  const said = await discovered(`http://127.0.0.1:${port}`, url)
  assert.equal(said.issuer, url)
  for (const [name, address] of Object.entries(said))
    if (name.endsWith('_endpoint')) assert.ok(String(address).startsWith(`${url}/oauth/`), name)
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const ways: readonly (readonly [string, Way])[] = [
  ["a partner's page", byPartner],
  ["the server's page", byPage],
]
const auths: readonly (readonly [string, (app: App) => oauth.ClientAuth, () => App])[] = [
  ['the secret in the form', ({ secret }) => oauth.ClientSecretPost(secret), () => app],
  ['the secret by Basic', ({ secret }) => oauth.ClientSecretBasic(secret), () => app],
  ['no secret', () => oauth.None(), () => publicApp],
]
for (const [where, way] of ways)
  for (const [how, authOf, appOf] of auths) {
    if (way === byPartner && how === 'no secret') continue
    test(`code by ${where} with a proof, ${how}: token, refresh, introspection, revocation`, async () => {
      const whose = appOf()
      const auth = authOf(whose)
      const first = await tokensBy(way, auth, whose)
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
      const next = await refreshed(first.refresh_token!, auth, whose)
      assert.notEqual(next.refresh_token, first.refresh_token)
      if (how === 'no secret') {
        assert.deepEqual(await refusal(state(next.access_token, auth, whose)), [401, 'basic'])
        await revoked(next.refresh_token!, auth, whose)
        return assert.deepEqual(await refusal(refreshed(next.refresh_token!, auth, whose)), [
          400,
          'invalid_grant',
        ])
      }
      const told = await state(next.access_token, auth, whose)
      assert.equal(told.active, true)
      assert.deepEqual([told.client_id, told.sub, told.iss], [whose.clientId, broker.accountId, as.issuer])
      assert.equal(told.exp! - told.iat!, 600)
      await revoked(next.refresh_token!, auth, whose)
      assert.deepEqual(await state(next.access_token, auth, whose), { active: false })
      assert.deepEqual(await state(first.access_token, auth, whose), { active: false })
      await revoked('nobodys', auth, whose)
    })
  }

test('a code that comes again, a wrong proof and a wrong secret are errors the library knows', async () => {
  const client = clientOf(app)
  const auth = oauth.ClientSecretPost(app.secret)
  const { params, verifier } = await askFor(broker, as, app, byPartner)
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
  const got = await exchange(auth, verifier)
  assert.deepEqual(await refusal(exchange(auth, verifier)), [400, 'invalid_grant'])
  assert.deepEqual(await state(got.access_token, auth), { active: false })
})

test('a refresh may ask for less and not for more', async () => {
  const auth = oauth.ClientSecretBasic(app.secret)
  const first = await tokensBy(byPartner, auth)
  assert.deepEqual(await refusal(refreshed(first.refresh_token!, auth, app, 'account:write')), [
    400,
    'invalid_scope',
  ])
  const less = await refreshed(first.refresh_token!, auth, app, 'data')
  assert.equal(less.scope, 'data')
  assert.equal((await state(less.access_token, auth)).scope, 'data')
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

test('a refresh token that is reused once gets one more pair, and at the third time ends all of them', async () => {
  const auth = oauth.ClientSecretPost(app.secret)
  const first = await tokensBy(byPartner, auth)
  const second = await refreshed(first.refresh_token!, auth)
  const again = await refreshed(first.refresh_token!, auth)
  assert.equal((await state(again.access_token, auth)).active, true)
  assert.deepEqual(await refusal(refreshed(first.refresh_token!, auth)), [400, 'invalid_grant'])
  assert.deepEqual(await refusal(refreshed(second.refresh_token!, auth)), [400, 'invalid_grant'])
  assert.deepEqual(await state(second.access_token, auth), { active: false })
})

test('a person who says no sends the app an error that the library knows', async () => {
  const denied = askFor(broker, as, app, deniedOnPage)
  await assert.rejects(denied, (error: unknown) => {
    assert.ok(error instanceof oauth.AuthorizationResponseError)
    assert.equal(error.error, 'access_denied')
    return true
  })
})

test('a partner looks at a token of an app with its own key', async () => {
  const auth = oauth.ClientSecretPost(app.secret)
  const { access_token: token } = await tokensBy(byPartner, auth)
  const partner = { ...broker, keyId: broker.brokerKey, secretKey: broker.brokerSecret }
  const { body } = await call(partner, 'POST', '/oauth/introspect', new URLSearchParams({ token }).toString())
  assert.deepEqual([body.active, body.client_id], [true, app.clientId])
  assert.deepEqual(body.accounts, [{ id: broker.accountId, env: 'paper' }])
})

test('the compatibility page says what was seen here', () => witness.confirms(import.meta.filename))
