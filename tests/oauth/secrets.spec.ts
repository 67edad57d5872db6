import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Browser, hiddenIn, responseTo } from '../../server/src/http/oauth/testing/pages.ts'
import { type Body, type Broker, call, callAsOperator, newFolder, startBroker } from '../broker.ts'
import { StreamClient } from '../stream-client.ts'
import { REDIRECT } from './app.ts'

/** Everything secret that a life with OAuth brings, by what it is; and every answer that was an error. */
class Witness {
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
    const answer = await callAsOperator(this.broker, method, path, body)
    if (answer.status >= 400) this.errors.push(JSON.stringify(answer.body))
    return answer.body
  }
}

const guess = (what: string): string => `guess-at-${what}-${randomBytes(8).toString('hex')}`
const USERS = '/sim/v1/worlds/main/users'

/** A person and an app, each with a secret; wrong ones are said too. */
async function register(witness: Witness) {
  const password = witness.keep('the password', `pass-${randomBytes(12).toString('hex')}`)
  await witness.operate('POST', USERS, { name: 'ana', password, accounts: [{}] })
  await witness.operate('POST', USERS, { name: 'ana', password: witness.keep('a taken name', guess('name')) })
  await witness.operate('POST', USERS, { name: 'x', password: { [witness.keep('a shape', guess('x'))]: 1 } })
  const made = await witness.operate('POST', USERS, { name: 'made' })
  witness.keep('the password that was made', made.password)
  const app = await witness.operate('POST', '/v1/oauth/clients', {
    name: 'An app',
    redirect_uri: [REDIRECT],
    token_expires_in: 3600,
  })
  const client = { client_id: app.client_id, client_secret: witness.keep('the app', app.client_secret) }
  return { password, client }
}

/** Signs in, allows the app, and gives back the code; the wrong password was tried first. */
async function consent(witness: Witness, password: string, clientId: string, challenge: string) {
  const browser = new Browser(witness.broker)
  const wrong = await browser.signIn(undefined, 'ana', witness.keep('a wrong password', guess('password')))
  witness.errors.push(wrong.html)
  const nobody = await browser.signIn(undefined, 'nobody', witness.keep("nobody's password", guess('nobody')))
  witness.errors.push(nobody.html)
  await browser.signIn(undefined, 'ana', password)
  const asked = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    scope: 'trading data',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
  const page = await browser.get(`/oauth/authorize?${new URLSearchParams(asked)}`)
  const [, paper = ''] = /name="paper"[^>]* value="([^"]+)"/.exec(page.html) ?? []
  const { csrf = '' } = hiddenIn(page, '/oauth/authorize')
  witness.keep('the token of the form', csrf)
  const back = await browser.submit(page, '/oauth/authorize', { answer: 'allow', paper })
  const [cookie = ''] = browser.cookies.values()
  witness.keep('the cookie', cookie)
  const type = {
    'content-type': 'application/json',
    cookie: [...browser.cookies].map((c) => c.join('=')).join('; '),
  }
  const accounts = await fetch(`${witness.broker.url}/oauth/session`, { headers: type })
  const session = (await accounts.json()) as Body
  const [{ id }] = session.accounts
  const token = await fetch(`${witness.broker.url}/oauth/session/token`, {
    method: 'POST',
    headers: { ...type, origin: witness.broker.url },
    body: JSON.stringify({ form_token: witness.keep('the form token', session.form_token), account_id: id }),
  })
  witness.keep('the token of the session', ((await token.json()) as Body).access_token)
  return witness.keep('the code', responseTo(back)['code'] ?? '')
}

/** By a link, once; and once more, which is refused. */
async function byLink(witness: Witness): Promise<void> {
  const { url } = await witness.operate('POST', `${USERS}/ana/link`)
  const { pathname, search, searchParams } = new URL(url)
  witness.keep('the link', searchParams.get('once') ?? '')
  const browser = new Browser(witness.broker)
  const page = await browser.get(pathname + search)
  assert.equal((await browser.submit(page, '/oauth/sign-in')).status, 303)
  witness.errors.push((await browser.get(pathname + search)).html)
}

async function tokens(witness: Witness, client: Record<string, string>, code: string, verifier: string) {
  const grant = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: verifier }
  const wrong = { ...client, client_secret: witness.keep('a wrong secret', guess('secret')) }
  await witness.form('/oauth/token', { ...wrong, ...grant }, false)
  await witness.form(
    '/oauth/token',
    { ...client, ...grant, code: witness.keep('a wrong code', guess('code')) },
    false,
  )
  const first = await witness.form('/oauth/token', { ...client, ...grant })
  witness.keep('the token', first.access_token)
  const refresh_token = witness.keep('the refresh token', first.refresh_token)
  const second = await witness.form('/oauth/token', { ...client, grant_type: 'refresh_token', refresh_token })
  const token = witness.keep('the second token', second.access_token)
  witness.keep('the second refresh token', second.refresh_token)
  await witness.form('/oauth/introspect', { ...client, token })
  await witness.form('/oauth/revoke', { ...wrong, token }, false)
  return token
}

/** With the token: an order, both streams, and what is wrong about each. */
async function act({ broker, ...witness }: Witness, token: string, errors: string[]): Promise<void> {
  const bearer = { authorization: `Bearer ${token}` }
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  const placed = await fetch(`${broker.url}/v2/orders`, {
    method: 'POST',
    headers: bearer,
    body: JSON.stringify(order),
  })
  assert.equal(placed.status, 200)
  const wrong = guess('token')
  witness.secrets.set('a wrong token', wrong)
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

/** A partner's program, by its secret and by a signature. */
async function machine(witness: Witness): Promise<void> {
  const keys = '/sim/v1/worlds/main/keys'
  const key = await witness.operate('POST', keys, { kind: 'partner' })
  const grant = { grant_type: 'client_credentials', client_id: key.key_id }
  const client_secret = witness.keep('the secret of a key', key.secret_key)
  const told = await witness.form('/v1/oauth2/token', { ...grant, client_secret })
  witness.keep('the token of a machine', told.access_token)
  const wrong = witness.keep('a wrong secret of a key', guess('key'))
  await witness.form('/v1/oauth2/token', { ...grant, client_secret: wrong }, false)
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const public_key = publicKey.export({ format: 'pem', type: 'spki' })
  const { key_id } = await witness.operate('POST', keys, { kind: 'partner', public_key })
  const now = Math.floor(Date.now() / 1000)
  const aud = `${witness.broker.url}/v1/oauth2/token`
  const claims = { iss: key_id, sub: key_id, aud, jti: randomUUID(), iat: now, exp: now + 300 }
  const said = [{ alg: 'ES256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('sha256', Buffer.from(said), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const fields = {
    grant_type: 'client_credentials',
    client_id: key_id,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: witness.keep('the assertion', `${said}.${signature.toString('base64url')}`),
  }
  witness.keep('the token for the assertion', (await witness.form('/v1/oauth2/token', fields)).access_token)
  await witness.form('/v1/oauth2/token', fields, false)
}

/** All pages of something an operator reads. */
async function readAll(witness: Witness, what: string): Promise<Body[]> {
  const rows: Body[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query = new URLSearchParams({ limit: '1000', ...(cursor && { cursor }) })
    const page: Body = await witness.operate('GET', `/sim/v1/worlds/main/${what}?${query}`)
    rows.push(...page[what])
    cursor = page.next_cursor
  }
  return rows
}

/** Every file of the folder but the owner's own. */
function* filesIn(folder: string): Generator<readonly [string, string]> {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && entry.name !== 'credentials.json') yield [path, readFileSync(path, 'latin1')]
  }
}

test('nothing secret is logged, journaled, told in an error, counted or left in a file', async (t) => {
  const folder = newFolder()
  const broker = await startBroker(['--data', folder, '--log', 'debug'])
  t.after(broker.kill)
  const witness = new Witness(broker)
  witness.keep('the first link', new URL(broker.signInUrl ?? '').searchParams.get('once') ?? '')
  const { password, client } = await register(witness)
  const verifier = witness.keep('the verifier', randomBytes(32).toString('base64url'))
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const code = await consent(witness, password, client.client_id, challenge)
  const token = await tokens(witness, client, code, verifier)
  await act(witness, token, witness.errors)
  await byLink(witness)
  await machine(witness)
  await witness.form('/oauth/revoke', { ...client, token })

  const events = await readAll(witness, 'events')
  const requests = await readAll(witness, 'requests')
  const places: [string, string][] = [
    ['the events', JSON.stringify(events)],
    ['the requests', JSON.stringify(requests)],
    ['an error', witness.errors.join('\n')],
    ['the metrics', String((await call(broker, 'GET', '/metrics')).body)],
  ]
  assert.equal(await broker.stop(), 0)
  const files = [...filesIn(folder)]
  assert.ok(files.some(([path]) => path.includes('journal')))
  places.push(['the log', broker.log()], ...(files as [string, string][]))
  assert.ok(witness.secrets.size > 20)
  for (const [where, text] of places.slice(0, 5)) assert.ok(text.length > 100, `${where}: ${text}`)
  for (const [where, text] of places) {
    for (const [what, secret] of witness.secrets)
      assert.equal(text.includes(secret), false, `${what} is in ${where}`)
  }
  const digests = [...witness.secrets.values()].map((secret) =>
    createHash('sha256').update(secret).digest('hex'),
  )
  for (const [where, text] of places.slice(0, 4))
    for (const digest of digests) assert.equal(text.includes(digest), false, `a digest is in ${where}`)
  assert.ok(places[0]![1].includes(challenge), 'what is no secret would have been found')
  const kinds = new Set(events.map(({ kind }: Body) => kind))
  for (const kind of [
    'personAdded',
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
