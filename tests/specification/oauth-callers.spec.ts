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
import { assertRefused, bearer, callWithHeaders, type StageResponse, UNKNOWN_ID } from './stage.ts'

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
