import { test } from 'node:test'
import { call } from '../broker.ts'
import { clients, giveUp, type Kind, kinds, machineToken, own, withdrawn } from './oauth-partners.ts'
import { type Answer, assertRefused, bare, bearer, NOBODY } from './stage.ts'

/** Everything that is for partners alone, by method, path and body. */
const app = `${clients}/${own.created.oauth_client.client_id}`
const { client_id, client_secret, redirect_uri } = own.created.oauth_client
const ask = { client_id, client_secret, redirect_uri, scope: '', account_id: own.accountId }
const operations = {
  getOAuthClient: ['GET', app],
  authorizeOAuthToken: ['POST', '/v1/oauth/authorize', ask],
  issueOAuthToken: ['POST', '/v1/oauth/token', ask],
  deleteOAuthToken: ['DELETE', `/v1/oauth/token/${NOBODY}`],
  listOAuthClients: ['GET', clients],
  createOAuthClient: ['POST', clients, { name: 'x', redirect_uri: [redirect_uri] }],
  getOAuthClientSettings: ['GET', `${app}/settings`],
  updateOAuthClient: ['PATCH', app, { name: 'x' }],
  deleteOAuthClient: ['DELETE', app],
  listOAuthClientSecrets: ['GET', `${app}/secrets`],
  createOAuthClientSecret: ['POST', `${app}/secrets`, {}],
  deleteOAuthClientSecret: ['DELETE', `${app}/secrets/${NOBODY}`],
  listOAuthGrants: ['GET', '/v1/oauth/grants'],
  deleteOAuthGrant: ['DELETE', `/v1/oauth/grants/${NOBODY}`],
} as const satisfies Record<string, readonly [method: string, path: string, body?: object]>

async function lateToken(): Promise<string> {
  const token = await machineToken()
  await own.advance('901s')
  return token
}
async function spentToken(): Promise<string> {
  const token = await machineToken()
  await giveUp(token)
  return token
}

type Run = (method: string, path: string, body?: object) => Promise<Answer>
const byBearer =
  (token: string): Run =>
  (method, path, body) =>
    bare(method, path, bearer(token), body && JSON.stringify(body))

const late = byBearer(await lateToken())
const spent = byBearer(await spentToken())
const gone = await withdrawn()

/** Who calls. A key of an account is as foreign here as one that nobody has. */
const callers: Readonly<Record<Kind, Run>> = {
  missing: (method, path, body) => bare(method, path, {}, body && JSON.stringify(body)),
  wrong: (...given) => call({ ...own.partner, secretKey: 'wrong' }, ...given),
  foreign: (...given) => call(own, ...given),
  expired: late,
  replayed: spent,
  disabled: (...given) => call(gone, ...given),
}

for (const [operation, [method, path, body]] of Object.entries<readonly [string, string, object?]>(
  operations,
))
  for (const kind of kinds)
    test(`${operation} by a caller whose credential is ${kind}: 401`, async () =>
      assertRefused(await callers[kind](method, path, body), 401, 40110000, 'unauthorized.'))
