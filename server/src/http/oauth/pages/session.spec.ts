import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { execute } from '@quipu/broker/access/issue-keys.ts'
import { hashPassword } from '@quipu/broker/access/password.ts'
import { call } from '../../testing/server.ts'
import { issueTestToken } from '../testing/apps.ts'
import {
  addUser,
  authorizeQuery,
  Browser,
  hiddenIn,
  openPages,
  PASSWORD,
  type PageScene,
} from '../testing/pages.ts'
import * as pageSession from '../testing/session.ts'
import { cookieOf, drop, json, OPERATOR, raise } from '../testing/session.ts'

let scene: PageScene
before(async () => {
  scene = await openPages()
})
after(() => scene.close())

const signedIn = (name?: string) => pageSession.signedIn(scene, name)
const session = (browser: Browser) => pageSession.sessionOf(scene, browser)
const tokenFor = (browser: Browser, body: object, headers?: Record<string, string>) =>
  pageSession.tokenFor(scene, browser, body, headers)
const callWith = (token: string, route?: string) => pageSession.callWith(scene, token, route)

test('a browser reads the user of its session', async () => {
  const { status, headers, body } = await session(await signedIn())
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'no-store')
  const { expires_at, accounts, form_token, api_url, ...rest } = body
  assert.match(form_token, /^[\w-]{43}$/)
  assert.equal(api_url, scene.url)
  const user = { user_id: scene.userId, name: 'Ada', operator: false, auditor: false, operator_until: null }
  assert.deepEqual(rest, { ...user, world: 'lab' })
  const lasts = Date.parse(expires_at) - Date.now()
  assert.ok(lasts > 11 * 3_600_000 && lasts <= 12 * 3_600_000)
  assert.deepEqual(
    accounts.map(({ id, flavour }: { id: string; flavour: string }) => [id, flavour]),
    [
      [scene.paper, 'paper'],
      [scene.live, 'live'],
    ],
  )
})

test('without a session both operations return 401', async () => {
  const nobody = new Browser(scene)
  assert.deepEqual([(await session(nobody)).status, (await session(nobody)).body.code], [401, 40110000])
  assert.equal((await tokenFor(nobody, { account_id: scene.paper })).status, 401)
})

test('a session gets tokens for the accounts of its user', async () => {
  const browser = await signedIn()
  for (const account_id of [scene.paper, scene.live]) {
    const { status, body, headers } = await tokenFor(browser, { account_id })
    assert.deepEqual([status, body.token_type, body.expires_in], [200, 'Bearer', 300])
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal((await callWith(body.access_token)).body.id, account_id)
  }
})

const ANY = '5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b'
const refused: readonly (readonly [string, object, Record<string, string>, number])[] = [
  ['for an account of another user', { account_id: ANY }, json, 404],
  ['as operator, for a user who is not an operator', { operator: true }, json, 403],
  ['for nothing', {}, json, 422],
  ['for a malformed account id', { account_id: 'x' }, json, 422],
  ['from another site', {}, { ...json, 'sec-fetch-site': 'cross-site' }, 403],
  ['from a sibling site', {}, { ...json, 'sec-fetch-site': 'same-site' }, 403],
  ['from another origin', {}, { 'content-type': 'application/json', origin: 'https://evil.example' }, 403],
  ['without an origin', {}, { 'content-type': 'application/json' }, 403],
  ['without the form token', { form_token: undefined, account_id: ANY }, json, 422],
  ['with the form token of another session', { form_token: 'A'.repeat(43), account_id: ANY }, json, 403],
  ['as a form', {}, { 'content-type': 'text/plain' }, 415],
]
for (const [input, body, headers, status] of refused)
  test(`a token ${input} is refused with ${status}`, async () => {
    const fields = Object.keys(body).length > 0 || status === 422 ? body : { account_id: scene.paper }
    assert.equal((await tokenFor(await signedIn(), fields, headers)).status, status)
  })

test('over plain HTTP, where browsers send no Sec-Fetch-Site, the same origin is enough', async () => {
  const headers = { 'content-type': 'application/json', origin: scene.url }
  assert.equal((await tokenFor(await signedIn(), { account_id: scene.paper }, headers)).status, 200)
})

test('a token for an account and as operator at once is refused', async () => {
  const { status } = await tokenFor(await signedIn(), { account_id: scene.paper, operator: true })
  assert.equal(status, 422)
})

test('an operator gets a token that controls worlds, until the user is no longer an operator', async () => {
  const userId = await addUser(scene.world, 'Olga', [], true)
  const browser = await signedIn('Olga')
  assert.equal((await session(browser)).body.operator, true)
  await raise(browser)
  const { body } = await tokenFor(browser, { operator: true })
  const partners = (token: string) => callWith(token, 'GET /sim/v1/worlds/lab/partners')
  assert.equal((await partners(body.access_token)).status, 200)
  await execute(scene.world, { kind: 'changeUser', userId, operator: false }, 'userChanged')
  assert.equal((await partners(body.access_token)).status, 401)
})

test('without raised rights an operator gets no operator token; dropping the rights ends the token', async () => {
  await addUser(scene.world, 'Otto', [], true)
  const browser = await signedIn('Otto')
  const none = await tokenFor(browser, { operator: true })
  assert.deepEqual([none.status, none.body.reason], [403, 'operatorRightsNotRaised'])
  assert.equal((await session(browser)).body.operator_until, null)
  const wrong = await raise(browser, 'wrong')
  assert.deepEqual([wrong.status, /The password is not right/.test(wrong.html)], [400, true])
  assert.equal((await tokenFor(browser, { operator: true })).status, 403)
  assert.equal((await raise(browser)).location, OPERATOR)
  const lasts = Date.parse((await session(browser)).body.operator_until) - Date.now()
  assert.ok(lasts > 3_500_000 && lasts <= 3_600_000, 'an hour')
  const { body } = await tokenFor(browser, { operator: true })
  const worlds = () => callWith(body.access_token, 'GET /sim/v1/worlds/lab/partners')
  assert.equal((await worlds()).status, 200)
  assert.equal((await drop(browser)).status, 303)
  assert.equal((await worlds()).status, 401)
  assert.equal((await session(browser)).body.operator_until, null)
})

test('a user who is not an operator cannot raise rights', async () => {
  const browser = await signedIn()
  const page = await browser.get(OPERATOR)
  assert.match(page.html, /You are not an operator/)
  const { csrf } = hiddenIn(page, '/oauth/sign-out')
  const before = scene.world.view.seq
  const response = await browser.post(OPERATOR, { csrf, answer: 'raise', password: PASSWORD })
  assert.deepEqual([response.location, scene.world.view.seq], [OPERATOR, before])
})

test('a form of another session raises no rights', async () => {
  await addUser(scene.world, 'Oren', [], true)
  const [mine, theirs] = [await signedIn('Oren'), await signedIn('Oren')]
  const { csrf } = hiddenIn(await theirs.get(OPERATOR), OPERATOR)
  const response = await mine.post(OPERATOR, { csrf, answer: 'raise', password: PASSWORD })
  assert.equal(response.status, 400)
  assert.equal((await session(mine)).body.operator_until, null)
})

test('a read-only token reads as an operator, and creates no key, user or operator', async () => {
  await addUser(scene.world, 'Omar', [], true)
  const browser = await signedIn('Omar')
  await raise(browser)
  const { body } = await tokenFor(browser, { operator: true, read_only: true })
  assert.equal((await callWith(body.access_token, 'GET /sim/v1/worlds/lab/partners')).status, 200)
  for (const route of [
    'POST /sim/v1/worlds/lab/users',
    'PATCH /sim/v1/worlds/lab/users/Ada',
    'POST /sim/v1/worlds/lab/users/Omar/link',
    'POST /sim/v1/worlds/lab/keys',
    'DELETE /sim/v1/worlds/lab',
  ]) {
    const { status, body: refusal } = await callWith(body.access_token, route)
    assert.deepEqual([status, refusal.reason], [403, 'readOnlyToken'], route)
  }
})

test('a token for an account does not control worlds', async () => {
  const { body } = await tokenFor(await signedIn(), { account_id: scene.paper })
  assert.equal((await callWith(body.access_token, 'GET /sim/v1/worlds/lab/partners')).status, 403)
})

test('a token for an account reads its own requests and ledger; a token of an app does not', async () => {
  const { body } = await tokenFor(await signedIn(), { account_id: scene.paper })
  const ofApp = await issueTestToken(scene.world, scene.app, scene.paper, 'trading')
  for (const [list, query] of [
    ['requests', ''],
    ['events', ''],
    ['postings', ''],
    ['balances', ''],
    ['frames', '?number=1'],
  ]) {
    const route = `GET /sim/v1/worlds/lab/${list}${query}`
    const { status, body: page } = await callWith(body.access_token, route)
    assert.equal(status, 200, list)
    for (const row of page[list!]) assert.equal(row.account_id, scene.paper)
    assert.equal((await callWith(ofApp, route)).status, 403, list)
  }
})

const ends: readonly (readonly [string, (browser: Browser) => Promise<unknown>])[] = [
  ['signs out', async (browser) => browser.submit(await browser.get('/oauth/apps'), '/oauth/sign-out')],
  [
    'gets a new password',
    async () => {
      const password = await hashPassword(PASSWORD)
      return execute(scene.world, { kind: 'changeUser', userId: scene.userId, password }, 'userChanged')
    },
  ],
  [
    'is disabled',
    async () => {
      const { userId } = scene
      await execute(scene.world, { kind: 'changeUser', userId, disabled: true }, 'userChanged')
      await execute(scene.world, { kind: 'changeUser', userId, disabled: false }, 'userChanged')
    },
  ],
]
for (const [event, end] of ends)
  test(`all tokens of the session end when the user ${event}`, async () => {
    const browser = await signedIn()
    const { body } = await tokenFor(browser, { account_id: scene.paper })
    assert.equal((await callWith(body.access_token)).status, 200)
    await end(browser)
    assert.equal((await callWith(body.access_token)).status, 401)
  })

test('all tokens of a session share one rate limit', async (t) => {
  // The limit also covers the page requests, which are counted by address.
  const limited = await openPages({}, { limits: { rateLimit: 10 } })
  t.after(() => limited.close())
  const browser = new Browser(limited)
  await browser.signIn(authorizeQuery(limited))
  const { form_token } = (await call(limited, 'GET /oauth/session', { headers: cookieOf(browser) })).body
  const sent = { form_token, account_id: limited.paper }
  const options = { headers: { ...cookieOf(browser), ...json }, body: sent }
  const tokens = []
  for (let n = 0; n < 2; n++)
    tokens.push((await call(limited, 'POST /oauth/session/token', options)).body.access_token)
  const statuses = []
  for (let n = 0; n < 11; n++) {
    const headers = { authorization: `Bearer ${tokens[n % 2]}` }
    statuses.push((await call(limited, 'GET /v2/account', { headers })).status)
  }
  assert.deepEqual(statuses, [...Array(10).fill(200), 429])
})

test('the tokens of one session share one limit of event streams', async (t) => {
  const small = await openPages({}, { limits: { eventStreamsPerKey: 2 } })
  t.after(() => small.close())
  await addUser(small.world, 'Olga', [], true)
  const browser = await pageSession.signedIn(small, 'Olga')
  await raise(browser)
  const ending = new AbortController()
  const statuses: number[] = []
  for (let count = 0; count < 3; count++) {
    const { body } = await pageSession.tokenFor(small, browser, { operator: true })
    const headers = { authorization: `Bearer ${body.access_token}` }
    const opened = await fetch(`${small.url}/v1/events/trades`, { headers, signal: ending.signal })
    statuses.push(opened.status)
  }
  ending.abort()
  assert.deepEqual(statuses, [200, 200, 429])
})
