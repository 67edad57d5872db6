import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Browser, hiddenIn, responseTo } from '../../server/src/http/oauth/testing/pages.ts'
import { type Body, type Broker, call, callAsOperator, newFolder, startBroker } from '../support/broker.ts'
import { StreamClient } from '../support/stream-client.ts'
import { REDIRECT } from './app.ts'

/** Collects all secrets of the flow by name, and all error responses. */
class Recorder {
  readonly secrets = new Map<string, string>()
  readonly errors: string[] = []
  readonly broker: Broker

  constructor(broker: Broker) {
    this.broker = broker
  }

  keep<Secret extends string>(what: string, secret: Secret): Secret {
    assert.ok(secret.length >= 16, `${what}: ${secret}`)
    this.secrets.set(what, secret)
    return secret
  }

  async form(path: string, fields: Record<string, string>, isRight = true): Promise<Body> {
    const response = await fetch(this.broker.url + path, {
      method: 'POST',
      body: new URLSearchParams(fields),
    })
    const text = await response.text()
    assert.equal(response.ok, isRight, `${path}: ${text}`)
    if (!isRight) this.errors.push(text, [...response.headers].join())
    return text && isRight ? JSON.parse(text) : undefined
  }

  async operate(method: string, path: string, body?: unknown): Promise<Body> {
    const response = await callAsOperator(this.broker, method, path, body)
    if (response.status >= 400) this.errors.push(JSON.stringify(response.body))
    return response.body
  }
}

const guess = (what: string): string => `guess-at-${what}-${randomBytes(8).toString('hex')}`
const USERS = '/sim/v1/worlds/main/users'

/** Creates a user and an app, each with a secret, and sends wrong secrets too. */
async function register(recorder: Recorder) {
  const password = recorder.keep('the password', `pass-${randomBytes(12).toString('hex')}`)
  await recorder.operate('POST', USERS, { name: 'ana', password, accounts: [{}] })
  await recorder.operate('POST', USERS, {
    name: 'ana',
    password: recorder.keep('a taken name', guess('name')),
  })
  await recorder.operate('POST', USERS, {
    name: 'x',
    password: { [recorder.keep('a shape', guess('x'))]: 1 },
  })
  const made = await recorder.operate('POST', USERS, { name: 'made' })
  recorder.keep('the password that was made', made.password)
  const app = await recorder.operate('POST', '/v1/oauth/clients', {
    name: 'An app',
    redirect_uri: [REDIRECT],
    token_expires_in: 3600,
  })
  const client = { client_id: app.client_id, client_secret: recorder.keep('the app', app.client_secret) }
  return { password, client }
}

/** Tries a wrong password, signs in, allows the app, and returns the code. */
async function consent(recorder: Recorder, password: string, clientId: string, challenge: string) {
  const browser = new Browser(recorder.broker)
  const wrong = await browser.signIn(undefined, 'ana', recorder.keep('a wrong password', guess('password')))
  recorder.errors.push(wrong.html)
  const nobody = await browser.signIn(
    undefined,
    'nobody',
    recorder.keep("nobody's password", guess('nobody')),
  )
  recorder.errors.push(nobody.html)
  await browser.signIn(undefined, 'ana', password)
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    scope: 'trading data',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
  const page = await browser.get(`/oauth/authorize?${new URLSearchParams(query)}`)
  const [, paper = ''] = /name="paper"[^>]* value="([^"]+)"/.exec(page.html) ?? []
  const { csrf = '' } = hiddenIn(page, '/oauth/authorize')
  recorder.keep('the token of the form', csrf)
  const back = await browser.submit(page, '/oauth/authorize', { answer: 'allow', paper })
  const [cookie = ''] = browser.cookies.values()
  recorder.keep('the cookie', cookie)
  const type = {
    'content-type': 'application/json',
    cookie: [...browser.cookies].map((c) => c.join('=')).join('; '),
  }
  const accounts = await fetch(`${recorder.broker.url}/oauth/session`, { headers: type })
  const session = (await accounts.json()) as Body
  const [{ id }] = session.accounts
  const token = await fetch(`${recorder.broker.url}/oauth/session/token`, {
    method: 'POST',
    headers: { ...type, origin: recorder.broker.url },
    body: JSON.stringify({ form_token: recorder.keep('the form token', session.form_token), account_id: id }),
  })
  recorder.keep('the token of the session', ((await token.json()) as Body).access_token)
  return recorder.keep('the code', responseTo(back)['code'] ?? '')
}

/** Signs in with a link, and tries the used link again. */
async function signInByLink(recorder: Recorder): Promise<void> {
  const { url } = await recorder.operate('POST', `${USERS}/ana/link`)
  const { pathname, search, searchParams } = new URL(url)
  recorder.keep('the link', searchParams.get('once') ?? '')
  const browser = new Browser(recorder.broker)
  const page = await browser.get(pathname + search)
  assert.equal((await browser.submit(page, '/oauth/sign-in')).status, 303)
  recorder.errors.push((await browser.get(pathname + search)).html)
}

async function tokens(recorder: Recorder, client: Record<string, string>, code: string, verifier: string) {
  const grant = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: verifier }
  const wrong = { ...client, client_secret: recorder.keep('a wrong secret', guess('secret')) }
  await recorder.form('/oauth/token', { ...wrong, ...grant }, false)
  await recorder.form(
    '/oauth/token',
    { ...client, ...grant, code: recorder.keep('a wrong code', guess('code')) },
    false,
  )
  const first = await recorder.form('/oauth/token', { ...client, ...grant })
  recorder.keep('the token', first.access_token)
  const refresh_token = recorder.keep('the refresh token', first.refresh_token)
  const second = await recorder.form('/oauth/token', {
    ...client,
    grant_type: 'refresh_token',
    refresh_token,
  })
  const token = recorder.keep('the second token', second.access_token)
  recorder.keep('the second refresh token', second.refresh_token)
  await recorder.form('/oauth/introspect', { ...client, token })
  await recorder.form('/oauth/revoke', { ...wrong, token }, false)
  return token
}

/** Uses the token for an order and both streams, and tries wrong tokens. */
async function useToken({ broker, ...recorder }: Recorder, token: string, errors: string[]): Promise<void> {
  const bearer = { authorization: `Bearer ${token}` }
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  const placed = await fetch(`${broker.url}/v2/orders`, {
    method: 'POST',
    headers: bearer,
    body: JSON.stringify(order),
  })
  assert.equal(placed.status, 200)
  const wrong = guess('token')
  recorder.secrets.set('a wrong token', wrong)
  const refused = await fetch(`${broker.url}/v2/account?oauth_token=${token}`, {
    headers: { authorization: `Bearer ${wrong}` },
  })
  errors.push(await refused.text())
  const updates = await StreamClient.open(`${broker.url}/stream`)
  updates.send({ action: 'authenticate', data: { oauth_token: token } })
  assert.equal((await updates.next()).data.status, 'authorized')
  const data = await StreamClient.open(`${broker.url}/v2/iex`)
  await data.next()
  data.send({ action: 'auth', key: 'oauth', secret: wrong })
  errors.push(JSON.stringify(await data.next()))
  data.send({ action: 'auth', key: 'oauth', secret: token })
  await data.next()
  for (const { socket } of [updates, data]) socket.terminate()
}

/** Requests machine tokens by secret and by signed assertion. */
async function machine(recorder: Recorder): Promise<void> {
  const keys = '/sim/v1/worlds/main/keys'
  const key = await recorder.operate('POST', keys, { kind: 'partner' })
  const grant = { grant_type: 'client_credentials', client_id: key.key_id }
  const client_secret = recorder.keep('the secret of a key', key.secret_key)
  const issued = await recorder.form('/v1/oauth2/token', { ...grant, client_secret })
  recorder.keep('the token of a machine', issued.access_token)
  const wrong = recorder.keep('a wrong secret of a key', guess('key'))
  await recorder.form('/v1/oauth2/token', { ...grant, client_secret: wrong }, false)
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const public_key = publicKey.export({ format: 'pem', type: 'spki' })
  const { key_id } = await recorder.operate('POST', keys, { kind: 'partner', public_key })
  const now = Math.floor(Date.now() / 1000)
  const aud = `${recorder.broker.url}/v1/oauth2/token`
  const claims = { iss: key_id, sub: key_id, aud, jti: randomUUID(), iat: now, exp: now + 300 }
  const unsigned = [{ alg: 'ES256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('sha256', Buffer.from(unsigned), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const fields = {
    grant_type: 'client_credentials',
    client_id: key_id,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: recorder.keep('the assertion', `${unsigned}.${signature.toString('base64url')}`),
  }
  recorder.keep('the token for the assertion', (await recorder.form('/v1/oauth2/token', fields)).access_token)
  await recorder.form('/v1/oauth2/token', fields, false)
}

/** All pages of a list for operators. */
async function readAll(recorder: Recorder, what: string): Promise<Body[]> {
  const rows: Body[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query = new URLSearchParams({ limit: '1000', ...(cursor && { cursor }) })
    const page: Body = await recorder.operate('GET', `/sim/v1/worlds/main/${what}?${query}`)
    rows.push(...page[what])
    cursor = page.next_cursor
  }
  return rows
}

/** Every file of the folder except credentials.json. */
const filesIn = (folder: string): readonly (readonly [string, string])[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name !== 'credentials.json')
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => [path, readFileSync(path, 'latin1')])

test('no secret is in the log, the journal, an error, the metrics or a file', async (t) => {
  const folder = newFolder()
  const broker = await startBroker(['--data', folder, '--log', 'debug'])
  t.after(broker.kill)
  const recorder = new Recorder(broker)
  recorder.keep('the first link', new URL(broker.signInUrl ?? '').searchParams.get('once') ?? '')
  const { password, client } = await register(recorder)
  const verifier = recorder.keep('the verifier', randomBytes(32).toString('base64url'))
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const code = await consent(recorder, password, client.client_id, challenge)
  const token = await tokens(recorder, client, code, verifier)
  await useToken(recorder, token, recorder.errors)
  await signInByLink(recorder)
  await machine(recorder)
  await recorder.form('/oauth/revoke', { ...client, token })

  const events = await readAll(recorder, 'events')
  const requests = await readAll(recorder, 'requests')
  const outputs: [string, string][] = [
    ['the events', JSON.stringify(events)],
    ['the requests', JSON.stringify(requests)],
    ['an error', recorder.errors.join('\n')],
    ['the metrics', String((await call(broker, 'GET', '/metrics')).body)],
  ]
  assert.equal(await broker.stop(), 0)
  const files = [...filesIn(folder)]
  assert.ok(files.some(([path]) => path.includes('journal')))
  outputs.push(['the log', broker.log()], ...(files as [string, string][]))
  assert.ok(recorder.secrets.size > 20)
  for (const [where, text] of outputs.slice(0, 5)) assert.ok(text.length > 100, `${where}: ${text}`)
  for (const [where, text] of outputs) {
    for (const [what, secret] of recorder.secrets)
      assert.equal(text.includes(secret), false, `${what} is in ${where}`)
  }
  const digests = [...recorder.secrets.values()].map((secret) =>
    createHash('sha256').update(secret).digest('hex'),
  )
  for (const [where, text] of outputs.slice(0, 4))
    for (const digest of digests) assert.equal(text.includes(digest), false, `a digest is in ${where}`)
  assert.ok(outputs[0]![1].includes(challenge), 'the search finds a value that is not secret')
  const kinds = new Set(events.map(({ kind }: Body) => kind))
  for (const kind of [
    'userAdded',
    'signedIn',
    'signInFailed',
    'codeIssued',
    'tokenRefreshed',
    'tokenRevoked',
  ])
    assert.ok(kinds.has(kind), `no ${kind}`)
  const issued = events.find(({ kind }: Body) => kind === 'codeIssued')
  assert.match(issued.request_id, /^[0-9a-f]{32}$/)
  assert.deepEqual([issued.account_id, issued.event.from], [issued.event.grant.paper, undefined])
})
