import assert from 'node:assert/strict'
import { codeOfKeyId, codeOfSecret } from '../../broker/src/access/world-code.ts'
import { Browser } from '../../server/src/http/oauth/testing/pages.ts'
import { type Body, type Broker, call, callAsOperator } from '../support/broker.ts'

const REDIRECT = 'https://app.example/callback'

async function post(caller: Parameters<typeof call>[0], path: string, body: unknown): Promise<Body> {
  const response = await call(caller, 'POST', path, body)
  assert.ok([200, 201].includes(response.status), `${path}: ${JSON.stringify(response.body)}`)
  return response.body
}

async function postForm(url: string, path: string, fields: Record<string, string>): Promise<Body> {
  const response = await fetch(url + path, { method: 'POST', body: new URLSearchParams(fields) })
  assert.equal(response.status, 200, path)
  return response.json()
}

/** The keys that a world issues by each operation. */
async function keysOf(operator: Parameters<typeof call>[0], world: string, live: string) {
  const path = `/sim/v1/worlds/${world}`
  const paperKey = await post(operator, `${path}/keys`, { kind: 'account' })
  const liveKey = await post(operator, `${path}/keys`, { kind: 'account', account_id: live })
  const partner = await post(operator, `${path}/partners`, { name: 'Another partner' })
  assert.match(paperKey.key_id, /^PK[0-9A-Z]{18}$/)
  assert.match(liveKey.key_id, /^AK[0-9A-Z]{18}$/)
  assert.match(partner.key_id, /^CK[0-9A-Z]{18}$/)
  return { paperKey: paperKey.key_id, liveKey: liveKey.key_id, partnerKey: partner.key_id }
}

type App = { readonly client_id: string; readonly client_secret: string }

/** Exchanges a code, and then the refresh token. */
async function tokensOf(url: string, app: App, code: string) {
  const { client_id, client_secret } = app
  const client = { client_id, client_secret, redirect_uri: REDIRECT }
  const first = await postForm(url, '/oauth/token', { ...client, grant_type: 'authorization_code', code })
  const { refresh_token } = first
  const second = await postForm(url, '/oauth/token', {
    ...client,
    grant_type: 'refresh_token',
    refresh_token,
  })
  return {
    access: first.access_token,
    refresh: refresh_token,
    refreshedAccess: second.access_token,
    refreshedRefresh: second.refresh_token,
  }
}

/** A browser in which a user opened a sign-in link. */
export async function signedIn(url: string, link: string): Promise<Browser> {
  const browser = new Browser({ url })
  const { pathname, search } = new URL(link)
  await browser.submit(await browser.get(pathname + search), '/oauth/sign-in')
  return browser
}

/** A session token with these rights. */
export async function sessionToken(url: string, browser: Browser, fields: object): Promise<string> {
  const { form_token } = JSON.parse((await browser.get('/oauth/session')).html)
  const cookie = `quipu_session=${browser.cookies.get('quipu_session')}`
  const headers = { cookie, origin: url, 'content-type': 'application/json' }
  const body = JSON.stringify({ form_token, ...fields })
  const response = await fetch(`${url}/oauth/session/token`, { method: 'POST', headers, body })
  assert.equal(response.status, 200)
  return ((await response.json()) as Body).access_token
}

/** The token of an operator for a world, from the sign-in link of the first start. */
export const operatorToken = async ({ url, signInUrl = '' }: Broker, world: string): Promise<string> =>
  sessionToken(url, await signedIn(url, signInUrl), { operator: true, world })

/** The credentials that the pages issue to a user who opens a sign-in link. */
async function pageCredentials(url: string, link: string, { client_id }: App, accountId: string) {
  const browser = await signedIn(url, link)
  const query = { response_type: 'code', client_id, redirect_uri: REDIRECT, scope: 'trading' }
  const consent = await browser.get(`/oauth/authorize?${new URLSearchParams(query)}`)
  const fields = { answer: 'allow', paper: accountId }
  const { location = '' } = await browser.submit(consent, '/oauth/authorize', fields)
  return {
    link: new URL(link).searchParams.get('once')!,
    cookie: browser.cookies.get('quipu_session')!,
    sessionToken: await sessionToken(url, browser, { account_id: accountId }),
    consentCode: new URL(location).searchParams.get('code')!,
  }
}

/** Issues a credential of every kind in a world, and checks that all have the same code. Returns the code. */
export async function codeOfNewCredentials(broker: Broker, world: string): Promise<string> {
  const { url } = broker
  const operator = { url, keyId: broker.brokerKey, secretKey: broker.brokerSecret }
  const users = `/sim/v1/worlds/${world}/users`
  const name = `user-${crypto.randomUUID().slice(0, 8)}`
  const accounts = [{ flavour: 'paper' }, { flavour: 'live' }]
  const user = await post(operator, users, { name, accounts })
  const [{ account_id: paper }, { account_id: live }] = user.accounts
  const keys = await keysOf(operator, world, live)
  const { key_id, secret_key } = await post(operator, `/sim/v1/worlds/${world}/keys`, { kind: 'partner' })
  const partner = { url, keyId: key_id as string, secretKey: secret_key as string }
  const app = await post(partner, '/v1/oauth/clients', {
    name: 'Trader',
    redirect_uri: [REDIRECT],
    token_expires_in: 3600,
  })
  const { client_id, client_secret } = app
  const grant = { client_id, client_secret, redirect_uri: REDIRECT, scope: 'trading', account_id: paper }
  const { code } = await post(partner, '/v1/oauth/authorize', grant)
  const direct = await post(partner, '/v1/oauth/token', grant)
  const machine = await postForm(url, '/v1/oauth2/token', {
    grant_type: 'client_credentials',
    client_id: key_id,
    client_secret: secret_key,
  })
  const { url: link } = await post(operator, `${users}/${name}/link`, {})
  const pages = await pageCredentials(url, link, app, paper)
  const tokens = await tokensOf(url, app, code)
  const secrets = {
    client_id,
    code,
    direct: direct.access_token,
    machine: machine.access_token,
    ...tokens,
    ...pages,
  }
  const codes = [
    ...Object.entries({ ...keys, key: key_id }).map(([kind, id]) => [kind, codeOfKeyId(id)]),
    ...Object.entries(secrets).map(([kind, text]) => [kind, codeOfSecret(text)]),
  ]
  const expected = codeOfKeyId(key_id)
  assert.deepEqual(
    codes,
    codes.map(([kind]) => [kind, expected]),
    `the credentials of ${world}`,
  )
  await assertWorking(url, world, [direct.access_token, tokens.refreshedAccess, pages.sessionToken])
  assert.deepEqual((await callAsOperator(broker, 'GET', `${users}/${name}`)).body.sessions, 1)
  return expected
}

async function assertWorking(url: string, world: string, tokens: readonly string[]): Promise<void> {
  for (const token of tokens) {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/v2/account`, { headers })
    assert.deepEqual([response.status, response.headers.get('x-quipu-world')], [200, world])
  }
}
