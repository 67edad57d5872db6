import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { type Body, call, callAsOperator } from '../support/broker.ts'
import { bearer, broker, type Caller, callWithHeaders, get, newWorld, type StageResponse } from './stage.ts'

/** How a credential or a referenced object can be wrong. */
export const kinds = ['missing', 'wrong', 'foreign', 'expired', 'replayed', 'disabled'] as const
export type Kind = (typeof kinds)[number]

/** A world with two partners, each with an account. */
export const testWorld = await newWorld()
const sim = `/sim/v1/worlds/${testWorld.world}`
const asOperator = async (method: string, path: string, body?: object): Promise<Body> =>
  (await callAsOperator(broker, method, sim + path, body)).body
export const callerOf = (made: Body): Caller => ({
  url: testWorld.url,
  keyId: made.key_id,
  secretKey: made.secret_key,
})
export const stranger = callerOf(await asOperator('POST', '/partners', { name: 'a stranger' }))
export const strangerAccount = (await call(stranger, 'POST', '/v1/accounts', {})).body.id as string

const REDIRECT = 'https://app.example/back'
export const UNKNOWN = '0'.repeat(32)
export const clients = '/v1/oauth/clients'

export async function newApp(patch: object = {}, caller: Caller = testWorld.partner): Promise<Body> {
  const { status, body } = await call(caller, 'POST', clients, {
    name: 'An app',
    redirect_uri: [REDIRECT],
    ...patch,
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}
export const change = (app: Body, body: object) =>
  call(testWorld.partner, 'PATCH', `${clients}/${app.client_id}`, body)
export const remove = (app: Body) => call(testWorld.partner, 'DELETE', `${clients}/${app.client_id}`)

export const grantFor = (app: Body, patch: object = {}) => ({
  client_id: app.client_id,
  client_secret: app.client_secret,
  redirect_uri: REDIRECT,
  scope: 'trading',
  account_id: testWorld.accountId,
  ...patch,
})
export async function tokenOf(
  app: Body,
  caller: Caller = testWorld.partner,
  account_id = testWorld.accountId,
): Promise<string> {
  const { status, body } = await call(caller, 'POST', '/v1/oauth/token', grantFor(app, { account_id }))
  assert.equal(status, 200, JSON.stringify(body))
  return body.access_token
}
export const works = async (token: string) =>
  (await callWithHeaders('GET', '/v2/account', bearer(token))).status
export const grantsOf = async (app: Body): Promise<Body[]> =>
  (await get(testWorld.partner, `/v1/oauth/grants?client_id=${app.client_id}`)).body

/** An app for each kind. */
export const apps: Record<Kind, () => Promise<Body>> = {
  missing: async () => ({ client_id: '-', client_secret: undefined }),
  wrong: async () => ({ client_id: UNKNOWN, client_secret: 'wrong' }),
  foreign: () => newApp({}, stranger),
  async expired() {
    const app = await newApp()
    await call(testWorld.partner, 'POST', `${clients}/${app.client_id}/secrets`, { others_expire_in: 0 })
    return app
  },
  async replayed() {
    const app = await newApp()
    await remove(app)
    return app
  },
  async disabled() {
    const app = await newApp()
    await change(app, { status: 'DISABLED' })
    return app
  },
}

export const byKey = ({ keyId, secretKey }: Caller) => ({ client_id: keyId, client_secret: secretKey })
export const form = (path: string, fields: Readonly<Record<string, string>>): Promise<StageResponse> =>
  callWithHeaders(
    'POST',
    path,
    { 'Content-Type': 'application/x-www-form-urlencoded' },
    new URLSearchParams(fields).toString(),
  )
export const machine = (fields: Readonly<Record<string, string>>) =>
  form('/v1/oauth2/token', { grant_type: 'client_credentials', ...fields })
export const revokeToken = (token: string, caller: Caller = testWorld.partner, patch = {}) =>
  form('/v1/oauth2/revoke', { token, ...byKey(caller), ...patch })
export const machineToken = async (caller: Caller = testWorld.partner): Promise<string> =>
  (await machine(byKey(caller))).body.access_token
export const accounts = async (token: string) =>
  (await callWithHeaders('GET', '/v1/accounts', bearer(token))).status
export async function deletePartnerKey(): Promise<Caller> {
  const key = await asOperator('POST', '/keys', { kind: 'partner' })
  await asOperator('DELETE', `/keys/${key.key_id}`)
  return callerOf(key)
}

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const signer = await asOperator('POST', '/keys', {
  kind: 'partner',
  public_key: pair.publicKey.export({ format: 'pem', type: 'spki' }),
})
/** A signed client assertion that expires after these seconds. */
export function assertion(endsInS: number): Readonly<Record<string, string>> {
  const exp = Math.floor(Date.now() / 1000) + endsInS
  const { key_id: id } = signer
  const claims = {
    iss: id,
    sub: id,
    aud: `${testWorld.url}/v1/oauth2/token`,
    jti: randomUUID(),
    iat: exp - 300,
    exp,
  }
  const text = [{ alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('sha256', Buffer.from(text), { key: pair.privateKey, dsaEncoding: 'ieee-p1363' })
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: `${text}.${signature.toString('base64url')}`,
  }
}

export const deleteToken = (id: string) => call(testWorld.partner, 'DELETE', `/v1/oauth/token/${id}`)
export const deleteGrant = (id: string) => call(testWorld.partner, 'DELETE', `/v1/oauth/grants/${id}`)
export const deleteSecret = (app: Body, id: string) =>
  call(testWorld.partner, 'DELETE', `${clients}/${app.client_id}/secrets/${id}`)
export const secretsOf = async (app: Body, caller: Caller = testWorld.partner): Promise<string[]> =>
  (await get(caller, `${clients}/${app.client_id}/secrets`)).body.map((one: Body) => one.secret_id)
export const create = (patch: object) =>
  call(testWorld.partner, 'POST', clients, { name: 'An app', redirect_uri: [REDIRECT], ...patch })
export const page = (id: string) => get(testWorld.partner, `${clients}?page_token=${id}`)

/** An app with an expired token and grant. */
export async function expiredGrant(): Promise<{ app: Body; token: string; grant: Body }> {
  const app = await newApp({ token_expires_in: 60 })
  const token = await tokenOf(app)
  const [grant] = await grantsOf(app)
  await testWorld.advance('61s')
  return { app, token, grant }
}

/** The expected result, as status and error, and the call. */
export type Cell = readonly [
  expected: string,
  run: () => Promise<StageResponse | readonly [StageResponse, ...unknown[]]>,
]
export const resultOf = ({ status, body }: StageResponse): string =>
  [status, body?.error ?? body?.reason ?? ''].join(' ').trim()

/** The cells of an operation on an app, for each kind. */
export const onApps = (
  run: (app: Body) => Promise<StageResponse>,
  expected: Readonly<Record<Kind, string>>,
): Record<Kind, Cell> =>
  Object.fromEntries(
    kinds.map((kind) => [kind, [expected[kind], async () => run(await apps[kind]())]]),
  ) as unknown as Record<Kind, Cell>

/** The number of listed grants of an app. */
export async function countGrants(clientId: string): Promise<readonly [StageResponse, number]> {
  const response = await get(testWorld.partner, `/v1/oauth/grants?client_id=${clientId}`)
  return [response, response.body.length]
}
