import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { type Body, call, callAsOperator } from '../broker.ts'
import { type Answer, bare, bearer, broker, type Caller, get, world } from './stage.ts'

/** What may be amiss with a caller, or with what it names. */
export const kinds = ['missing', 'wrong', 'foreign', 'expired', 'replayed', 'disabled'] as const
export type Kind = (typeof kinds)[number]

/** A world with two partners, each with an account, and what they do with apps. */
export const own = await world()
const sim = `/sim/v1/worlds/${own.world}`
const asOperator = async (method: string, path: string, body?: object): Promise<Body> =>
  (await callAsOperator(broker, method, sim + path, body)).body
export const callerOf = (made: Body): Caller => ({
  url: own.url,
  keyId: made.key_id,
  secretKey: made.secret_key,
})
export const stranger = callerOf(await asOperator('POST', '/partners', { name: 'a stranger' }))
export const strangers = (await call(stranger, 'POST', '/v1/accounts', {})).body.id as string

const REDIRECT = 'https://app.example/back'
export const UNKNOWN = '0'.repeat(32)
export const clients = '/v1/oauth/clients'

export async function newApp(patch: object = {}, who: Caller = own.partner): Promise<Body> {
  const { status, body } = await call(who, 'POST', clients, {
    name: 'An app',
    redirect_uri: [REDIRECT],
    ...patch,
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}
export const change = (app: Body, body: object) =>
  call(own.partner, 'PATCH', `${clients}/${app.client_id}`, body)
export const remove = (app: Body) => call(own.partner, 'DELETE', `${clients}/${app.client_id}`)

export const grantFor = (app: Body, patch: object = {}) => ({
  client_id: app.client_id,
  client_secret: app.client_secret,
  redirect_uri: REDIRECT,
  scope: 'trading',
  account_id: own.accountId,
  ...patch,
})
export async function tokenOf(
  app: Body,
  who: Caller = own.partner,
  account_id = own.accountId,
): Promise<string> {
  const { status, body } = await call(who, 'POST', '/v1/oauth/token', grantFor(app, { account_id }))
  assert.equal(status, 200, JSON.stringify(body))
  return body.access_token
}
export const works = async (token: string) => (await bare('GET', '/v2/account', bearer(token))).status
export const grantsOf = async (app: Body): Promise<Body[]> =>
  (await get(own.partner, `/v1/oauth/grants?client_id=${app.client_id}`)).body

/** Apps in each state, the last of them of another partner. */
export const apps: Record<Kind, () => Promise<Body>> = {
  missing: async () => ({ client_id: '-', client_secret: undefined }),
  wrong: async () => ({ client_id: UNKNOWN, client_secret: 'wrong' }),
  foreign: () => newApp({}, stranger),
  async expired() {
    const app = await newApp()
    await call(own.partner, 'POST', `${clients}/${app.client_id}/secrets`, { others_expire_in: 0 })
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
export const form = (path: string, fields: Readonly<Record<string, string>>): Promise<Answer> =>
  bare(
    'POST',
    path,
    { 'Content-Type': 'application/x-www-form-urlencoded' },
    new URLSearchParams(fields).toString(),
  )
export const machine = (fields: Readonly<Record<string, string>>) =>
  form('/v1/oauth2/token', { grant_type: 'client_credentials', ...fields })
export const giveUp = (token: string, who: Caller = own.partner, patch = {}) =>
  form('/v1/oauth2/revoke', { token, ...byKey(who), ...patch })
export const machineToken = async (who: Caller = own.partner): Promise<string> =>
  (await machine(byKey(who))).body.access_token
export const accounts = async (token: string) => (await bare('GET', '/v1/accounts', bearer(token))).status
export async function withdrawn(): Promise<Caller> {
  const key = await asOperator('POST', '/keys', { kind: 'partner' })
  await asOperator('DELETE', `/keys/${key.key_id}`)
  return callerOf(key)
}

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const signer = await asOperator('POST', '/keys', {
  kind: 'partner',
  public_key: pair.publicKey.export({ format: 'pem', type: 'spki' }),
})
/** What the key's holder signs, good for so many seconds. */
export function assertion(endsInS: number): Readonly<Record<string, string>> {
  const exp = Math.floor(Date.now() / 1000) + endsInS
  const { key_id: id } = signer
  const claims = {
    iss: id,
    sub: id,
    aud: `${own.url}/v1/oauth2/token`,
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

export const deleteToken = (id: string) => call(own.partner, 'DELETE', `/v1/oauth/token/${id}`)
export const deleteGrant = (id: string) => call(own.partner, 'DELETE', `/v1/oauth/grants/${id}`)
export const deleteSecret = (app: Body, id: string) =>
  call(own.partner, 'DELETE', `${clients}/${app.client_id}/secrets/${id}`)
export const secretsOf = async (app: Body, who: Caller = own.partner): Promise<string[]> =>
  (await get(who, `${clients}/${app.client_id}/secrets`)).body.map((one: Body) => one.secret_id)
export const create = (patch: object) =>
  call(own.partner, 'POST', clients, { name: 'An app', redirect_uri: [REDIRECT], ...patch })
export const page = (id: string) => get(own.partner, `${clients}?page_token=${id}`)

/** An app with a token of a minute that has ended, and its grant with it. */
export async function ended(): Promise<{ app: Body; token: string; grant: Body }> {
  const app = await newApp({ token_expires_in: 60 })
  const token = await tokenOf(app)
  const [grant] = await grantsOf(app)
  await own.advance('61s')
  return { app, token, grant }
}

/** What comes of a call, in a word or two. */
export type Cell = readonly [then: string, run: () => Promise<Answer | readonly [Answer, ...unknown[]]>]
export const toldBy = ({ status, body }: Answer): string =>
  [status, body?.error ?? body?.reason ?? ''].join(' ').trim()

/** The same for an app in each state. */
export const onApps = (
  run: (app: Body) => Promise<Answer>,
  then: Readonly<Record<Kind, string>>,
): Record<Kind, Cell> =>
  Object.fromEntries(
    kinds.map((kind) => [kind, [then[kind], async () => run(await apps[kind]())]]),
  ) as unknown as Record<Kind, Cell>

/** How many grants are told of an app. */
export async function counted(clientId: string): Promise<readonly [Answer, number]> {
  const answer = await get(own.partner, `/v1/oauth/grants?client_id=${clientId}`)
  return [answer, answer.body.length]
}
