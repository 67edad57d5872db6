import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../support/broker.ts'
import {
  clients,
  deletePartnerKey,
  type Kind,
  kinds,
  machineToken,
  revokeToken,
  testWorld,
} from './oauth-partners.ts'
import {
  assertRefused,
  bearer,
  callWithHeaders,
  newWorld,
  placeOrder,
  restingBuy,
  type StageResponse,
  UNKNOWN_ID,
} from './stage.ts'

/** All operations for partners only: method, path and body. */
const app = `${clients}/${testWorld.created.oauth_client.client_id}`
const { client_id, client_secret, redirect_uri } = testWorld.created.oauth_client
const grant = { client_id, client_secret, redirect_uri, scope: '', account_id: testWorld.accountId }
const operations = {
  getOAuthClient: ['GET', app],
  authorizeOAuthToken: ['POST', '/v1/oauth/authorize', grant],
  issueOAuthToken: ['POST', '/v1/oauth/token', grant],
  deleteOAuthToken: ['DELETE', `/v1/oauth/token/${UNKNOWN_ID}`],
  listOAuthClients: ['GET', clients],
  createOAuthClient: ['POST', clients, { name: 'x', redirect_uri: [redirect_uri] }],
  getOAuthClientSettings: ['GET', `${app}/settings`],
  updateOAuthClient: ['PATCH', app, { name: 'x' }],
  deleteOAuthClient: ['DELETE', app],
  listOAuthClientSecrets: ['GET', `${app}/secrets`],
  createOAuthClientSecret: ['POST', `${app}/secrets`, {}],
  deleteOAuthClientSecret: ['DELETE', `${app}/secrets/${UNKNOWN_ID}`],
  listOAuthGrants: ['GET', '/v1/oauth/grants'],
  deleteOAuthGrant: ['DELETE', `/v1/oauth/grants/${UNKNOWN_ID}`],
} as const satisfies Record<string, readonly [method: string, path: string, body?: object]>

async function expiredToken(): Promise<string> {
  const token = await machineToken()
  await testWorld.advance('901s')
  return token
}
async function revokedToken(): Promise<string> {
  const token = await machineToken()
  await revokeToken(token)
  return token
}

type Run = (method: string, path: string, body?: object) => Promise<StageResponse>
const byBearer =
  (token: string): Run =>
  (method, path, body) =>
    callWithHeaders(method, path, bearer(token), body && JSON.stringify(body))

const expired = byBearer(await expiredToken())
const replayed = byBearer(await revokedToken())
const deletedKey = await deletePartnerKey()

/** A caller for each kind of wrong credential. The key of an account is foreign here. */
const callers: Readonly<Record<Kind, Run>> = {
  missing: (method, path, body) => callWithHeaders(method, path, {}, body && JSON.stringify(body)),
  wrong: (...args) => call({ ...testWorld.partner, secretKey: 'wrong' }, ...args),
  foreign: (...args) => call(testWorld, ...args),
  expired,
  replayed,
  disabled: (...args) => call(deletedKey, ...args),
}

for (const [operation, [method, path, body]] of Object.entries<readonly [string, string, object?]>(
  operations,
))
  for (const kind of kinds)
    test(`${operation} with a credential that is ${kind}: 401`, async () =>
      assertRefused(await callers[kind](method, path, body), 401, 40110000, 'unauthorized.'))

const TRADES = '/v2/events/trades'

test('an app token receives past and live events of its account only', async () => {
  const world = await newWorld({ accounts: 2 })
  const { client_id, client_secret, redirect_uri } = world.created.oauth_client
  const tokenOf = async (account_id: string): Promise<string> => {
    const grant = { client_id, client_secret, redirect_uri, scope: 'data', account_id }
    const { status, body } = await call(world.partner, 'POST', '/v1/oauth/token', grant)
    assert.equal(status, 200, JSON.stringify(body))
    return body.access_token
  }
  const before = await placeOrder(world, restingBuy)
  const since = encodeURIComponent('2026-01-01T00:00:00Z')
  const token = await tokenOf(world.accountId)
  const stream = await fetch(`${world.url}${TRADES}?since=${since}`, { headers: bearer(token) })
  assert.deepEqual([stream.status, stream.headers.get('content-type')], [200, 'text/event-stream'])
  const after = await placeOrder(world, restingBuy)
  let text = ''
  for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.includes(after.id) && text.endsWith('\n\n')) break
  }
  assert.ok(text.indexOf(before.id) > 0 && text.indexOf(before.id) < text.indexOf(after.id))

  const otherAccount = world.created.accounts[1].account_id
  const until = encodeURIComponent('2026-01-02T00:00:00Z')
  const other = { headers: bearer(await tokenOf(otherAccount)) }
  const empty = await fetch(`${world.url}${TRADES}?since=${since}&until=${until}`, other)
  assert.deepEqual([empty.status, await empty.text()], [200, ''])
  const wrong = await fetch(`${world.url}${TRADES}`, { headers: bearer(`${token}x`) })
  assert.equal(wrong.status, 401)
})
