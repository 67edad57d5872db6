import assert from 'node:assert/strict'
import { Browser, type Visit } from '../../server/src/http/oauth/testing/pages.ts'
import { type Body, type Broker, call, callAsOperator } from '../support/broker.ts'

export const PASSWORD = 'a long walk in the rain'
const REDIRECT = 'https://app.example/callback'

/** Sends a request of the operator under `/sim/v1/worlds` and returns the body of its response. */
export async function asOperator(broker: Broker, method: string, path: string, body?: object): Promise<Body> {
  const response = await callAsOperator(broker, method, `/sim/v1/worlds${path}`, body)
  assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`)
  return response.body
}

/** Creates a person with a paper account in a world. */
export const newUser = (broker: Broker, world: string, fields: object = {}): Promise<Body> =>
  asOperator(broker, 'POST', `/${world}/users`, {
    name: `person-${crypto.randomUUID().slice(0, 8)}`,
    password: PASSWORD,
    accounts: [{ flavour: 'paper' }],
    ...fields,
  })

/** An app of a world, and the query with which it asks a person for consent. */
export type TestApp = { readonly request: string; readonly client: Readonly<Record<string, string>> }

/** Registers an app in a world, as its partner. */
export async function newApp(broker: Broker, world: string): Promise<TestApp> {
  const key = await asOperator(broker, 'POST', `/${world}/keys`, { kind: 'partner' })
  const partner = { url: broker.url, keyId: key.key_id as string, secretKey: key.secret_key as string }
  const app = await call(partner, 'POST', '/v1/oauth/clients', { name: 'Trader', redirect_uri: [REDIRECT] })
  assert.equal(app.status, 201, JSON.stringify(app.body))
  const { client_id, client_secret } = app.body
  const query = { response_type: 'code', client_id, redirect_uri: REDIRECT, scope: 'trading' }
  return { request: String(new URLSearchParams(query)), client: { client_id, client_secret } }
}

/** The query of an app that asks a person of this world for consent. */
export const requestOf = async (broker: Broker, world: string): Promise<string> =>
  (await newApp(broker, world)).request

/** A signed-in person allows an app to use the paper account. Returns its token. */
export async function allowApp(
  { url }: { readonly url: string },
  { request, client }: TestApp,
  browser: Browser,
  { accounts }: Body,
): Promise<string> {
  const consent = await browser.get(`/oauth/authorize?${request}`)
  const fields = { answer: 'allow', paper: accounts[0].account_id }
  const { location = '', html } = await browser.submit(consent, '/oauth/authorize', fields)
  assert.ok(location, html)
  const code = new URL(location).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, ...client }
  const response = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
  const body = (await response.json()) as Body
  assert.equal(response.status, 200, JSON.stringify(body))
  return body.access_token
}

/** Whether a browser has a session. */
export const isSignedIn = async (browser: Browser): Promise<boolean> =>
  (await browser.get('/oauth/session')).status === 200

/** Signs a person in to the world of an app. */
export async function signIn(
  { url }: { readonly url: string },
  request: string,
  name: string,
  password = PASSWORD,
): Promise<{ readonly browser: Browser; readonly visit: Visit }> {
  const browser = new Browser({ url })
  const visit = await browser.signIn(request, name, password)
  return { browser, visit }
}

/** Asks for a session token as a page of the server does. */
export async function sessionToken(url: string, browser: Browser, fields: object) {
  const session = await browser.get('/oauth/session')
  const { form_token } = session.status === 200 ? JSON.parse(session.html) : { form_token: 'none' }
  const cookie = `quipu_session=${browser.cookies.get('quipu_session')}`
  const headers = { cookie, origin: url, 'content-type': 'application/json' }
  const body = JSON.stringify({ form_token, ...fields })
  const response = await fetch(`${url}/oauth/session/token`, { method: 'POST', headers, body })
  return { status: response.status, body: (await response.json()) as Body }
}

/** Tries everything that leads from a session to rights over the server. Returns what succeeded. */
export async function rightsOf({ url }: Broker, browser: Browser): Promise<readonly string[]> {
  const page = await browser.get('/oauth/operator')
  if (page.html.includes('name="password"'))
    await browser.submit(page, '/oauth/operator', { password: PASSWORD, answer: 'raise' })
  const gained: string[] = []
  for (const world of ['main', undefined]) {
    const token = await sessionToken(url, browser, { operator: true, world })
    if (token.status !== 200) continue
    gained.push(`an operator token for ${world}`)
    const headers = {
      authorization: `Bearer ${token.body.access_token}`,
      'content-type': 'application/json',
    }
    const body = JSON.stringify({ kind: 'operator' })
    const key = await fetch(`${url}/sim/v1/worlds/main/keys`, { method: 'POST', headers, body })
    if (key.status < 300) gained.push('a permanent key')
  }
  return gained
}
