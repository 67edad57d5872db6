import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { execute, issueKey, type KeyPair } from '@quipu/broker/access/issue-keys.ts'
import type { Instant } from '@quipu/core'
import { type Called, call, openTestServer } from '../testing/server.ts'
import { oauthHandlers } from './oauth.ts'

const server = await openTestServer({ handlers: oauthHandlers })
after(() => server.close())
const { world, partnerKey, operatorKey, accountId } = server
const { partnerId } = await execute(world, { kind: 'addPartner', name: 'a stranger' }, 'partnerAdded')
const stranger = await issueKey(world, { kind: 'partner', partnerId, operator: false })
const { partnerId: third } = await execute(world, { kind: 'addPartner', name: 'a third' }, 'partnerAdded')
const { userId } = await execute(world, { kind: 'addUser', name: 'Ana', password: 'x' }, 'userAdded')

const send = (route: string, body?: unknown, key: KeyPair = partnerKey): Promise<Called> =>
  call(server, route, { key, body })
const REDIRECT = 'https://app.example/back'
const minimal = { name: 'An app', redirect_uri: [REDIRECT] }

async function createApp(patch: object = {}, key = partnerKey): Promise<Called['body']> {
  const { status, body } = await send('POST /v1/oauth/clients', { ...minimal, ...patch }, key)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

const grantOf = (app: Called['body'], patch: object = {}) => ({
  client_id: app.client_id,
  client_secret: app.client_secret,
  redirect_uri: REDIRECT,
  scope: 'trading',
  account_id: accountId,
  ...patch,
})
const issue = (app: Called['body'], patch?: object) => send('POST /v1/oauth/token', grantOf(app, patch))
const settings = async (app: Called['body']) =>
  (await send(`GET /v1/oauth/clients/${app.client_id}/settings`)).body

test('an app is registered with a name and a redirect URI; its secret is returned once', async () => {
  const made = await call(server, 'POST /v1/oauth/clients', { key: partnerKey, body: minimal })
  assert.equal(made.status, 201)
  assert.equal(made.headers.get('cache-control'), 'no-store')
  const { client_id, client_secret, owner, created_at, ...rest } = made.body
  assert.match(client_id, /^[0-9a-f]{32}$/)
  assert.match(client_secret, /^[0-9a-f]{40}$/)
  assert.deepEqual(rest, {
    name: 'An app',
    description: '',
    url: '',
    terms_of_use: '',
    privacy_policy: '',
    status: 'ACTIVE',
    redirect_uri: [REDIRECT],
    live_trading_approved: false,
    scopes: ['account:write', 'trading', 'data'],
    public: false,
    native: false,
    pkce_required: false,
    allow_direct_token: true,
    token_expires_in: null,
    refresh_expires_in: null,
    developer: null,
    partners: [owner],
  })
  assert.deepEqual(await settings(made.body), { client_id, owner, created_at, ...rest })
  assert.equal((await issue(made.body)).status, 200)
})

test('all settings are returned, and sending them back changes nothing', async () => {
  const all = {
    name: 'All',
    description: 'It does all.',
    url: 'https://app.example',
    terms_of_use: 'https://app.example/terms',
    privacy_policy: 'http://app.example/privacy',
    redirect_uri: [REDIRECT, 'http://localhost:8080/cb', 'com.example.app:/cb'],
    scopes: ['data', 'tokenization'],
    public: false,
    native: true,
    pkce_required: true,
    allow_direct_token: false,
    token_expires_in: 60,
    refresh_expires_in: 315_360_000,
    live_trading_approved: true,
  }
  const app = await createApp({ ...all, developer: 'ana', partners: [third] }, operatorKey)
  const returned = await settings(app)
  assert.deepEqual({ ...returned, ...all }, returned)
  assert.deepEqual([returned.developer, returned.partners], [userId, [returned.owner, third]])
  const { seq } = world.view
  const same = await send(`PATCH /v1/oauth/clients/${app.client_id}`, { ...returned, unknown: 1 })
  assert.deepEqual([same.status, same.body], [200, returned])
  assert.equal(world.view.seq, seq)
})

test('only an operator approves an app for live accounts; a partner may send the current value', async () => {
  const refused = await send('POST /v1/oauth/clients', { ...minimal, live_trading_approved: true })
  assert.deepEqual([refused.status, refused.body.code], [403, 40310000])
  assert.equal(refused.body.message, 'live_trading_approved: only an operator may change it')
  const app = await createApp()
  const patch = (live_trading_approved: boolean, key: KeyPair) =>
    send(`PATCH /v1/oauth/clients/${app.client_id}`, { live_trading_approved }, key)
  assert.equal((await patch(true, partnerKey)).status, 403)
  assert.equal((await patch(false, partnerKey)).status, 200)
  assert.equal((await patch(true, operatorKey)).body.live_trading_approved, true)
  assert.equal((await patch(true, partnerKey)).status, 200)
  assert.equal((await patch(false, partnerKey)).status, 403)
})

test('an app cannot be shared with an unknown partner', async () => {
  const nobody = '00000000-0000-4000-8000-000000000000'
  const { status, body } = await send('POST /v1/oauth/clients', { ...minimal, partners: [nobody] })
  assert.deepEqual([status, body.message], [404, 'partner not found'])
})

test('a shared app can be used by the other partner, and changed only by its owner', async () => {
  const app = await createApp({ partners: [partnerId] })
  const id = app.client_id
  assert.equal((await send(`GET /v1/oauth/clients/${id}`, undefined, stranger)).status, 200)
  assert.equal((await send(`GET /v1/oauth/clients/${id}/settings`, undefined, stranger)).status, 200)
  const listed = (await send('GET /v1/oauth/clients', undefined, stranger)).body
  assert.deepEqual(
    listed.map((one: { client_id: string }) => one.client_id),
    [id],
  )
  for (const [route, body] of [
    [`PATCH /v1/oauth/clients/${id}`, { name: 'Mine' }],
    [`DELETE /v1/oauth/clients/${id}`, undefined],
    [`GET /v1/oauth/clients/${id}/secrets`, undefined],
    [`POST /v1/oauth/clients/${id}/secrets`, {}],
  ] as const)
    assert.equal((await send(route, body, stranger)).status, 401)
  const alone = await send(`PATCH /v1/oauth/clients/${id}`, { partners: [] })
  assert.deepEqual(alone.body.partners, [alone.body.owner])
  assert.equal((await send(`GET /v1/oauth/clients/${id}`, undefined, stranger)).status, 401)
})

test('a public app has no secret, needs a challenge, and loses the secrets it had', async () => {
  const app = await createApp({ public: true })
  assert.equal('client_secret' in app, false)
  assert.deepEqual([app.public, app.pkce_required], [true, true])
  const more = await send(`POST /v1/oauth/clients/${app.client_id}/secrets`)
  assert.deepEqual([more.status, more.body.reason], [422, 'oauthTooManySecrets'])
  const other = await createApp()
  const path = `/v1/oauth/clients/${other.client_id}`
  assert.equal((await send(`PATCH ${path}`, { public: true })).body.pkce_required, true)
  assert.deepEqual((await send(`GET ${path}/secrets`)).body, [])
  assert.equal((await issue(other)).status, 401)
  assert.equal((await send(`PATCH ${path}`, { public: false })).body.pkce_required, false)
  const { client_secret } = (await send(`POST ${path}/secrets`)).body
  assert.equal((await issue({ ...other, client_secret })).status, 200)
})

test('a disabled app and its tokens do not work until it is enabled', async () => {
  const app = await createApp()
  const { access_token: token } = (await issue(app)).body
  const account = () => call(server, 'GET /v2/account', { headers: { authorization: `Bearer ${token}` } })
  const status = (to: string) => send(`PATCH /v1/oauth/clients/${app.client_id}`, { status: to })
  assert.equal((await status('DISABLED')).body.status, 'DISABLED')
  assert.deepEqual([(await issue(app)).status, (await account()).status], [401, 401])
  assert.equal((await status('ACTIVE')).body.status, 'ACTIVE')
  assert.deepEqual([(await issue(app)).status, (await account()).status], [200, 200])
})

test('deleting an app revokes its tokens', async () => {
  const app = await createApp()
  const { access_token: token } = (await issue(app)).body
  const path = `/v1/oauth/clients/${app.client_id}`
  assert.equal((await send(`DELETE ${path}`)).status, 204)
  for (const route of [`GET ${path}`, `GET ${path}/settings`, `DELETE ${path}`])
    assert.equal((await send(route)).status, 401)
  const headers = { authorization: `Bearer ${token}` }
  assert.equal((await call(server, 'GET /v2/account', { headers })).status, 401)
})

test('tokens expire after token_expires_in, and never if it is null', async () => {
  const app = await createApp({ token_expires_in: 90 })
  const { access_token: token, ...rest } = (await issue(app)).body
  assert.deepEqual(rest, { token_type: 'Bearer', scope: 'trading', expires_in: 90 })
  const cleared = await send(`PATCH /v1/oauth/clients/${app.client_id}`, { token_expires_in: null })
  assert.equal(cleared.body.token_expires_in, null)
  const lasting = (await issue(app)).body
  assert.equal('expires_in' in lasting, false)
  const account = async (bearer: string) =>
    (await call(server, 'GET /v2/account', { headers: { authorization: `Bearer ${bearer}` } })).status
  await server.clock.advance((server.clock.now() + 91_000_000_000n) as Instant)
  assert.deepEqual([await account(token), await account(lasting.access_token)], [401, 200])
})

test('an app with allow_direct_token false gets no token without a code', async () => {
  const app = await createApp({ allow_direct_token: false })
  const { status, body } = await issue(app)
  assert.deepEqual([status, body.message], [422, 'this app requires an authorization code'])
})

test('a new secret works beside the old one, which expires after others_expire_in', async () => {
  const app = await createApp()
  const path = `/v1/oauth/clients/${app.client_id}/secrets`
  const made = await call(server, `POST ${path}`, { key: partnerKey, body: { others_expire_in: 60 } })
  assert.deepEqual([made.status, made.headers.get('cache-control')], [201, 'no-store'])
  const { secret_id, client_secret } = made.body
  assert.match(client_secret, /^[0-9a-f]{40}$/)
  const works = async (secret: string) => (await issue({ ...app, client_secret: secret })).status
  assert.deepEqual([await works(app.client_secret), await works(client_secret)], [200, 200])
  const listed = (await send(`GET ${path}`)).body
  assert.deepEqual(
    listed.map((one: object) => Object.keys(one).sort()),
    [
      ['created_at', 'expires_at', 'secret_id'],
      ['created_at', 'expires_at', 'secret_id'],
    ],
  )
  assert.deepEqual([typeof listed[0].expires_at, listed[1].expires_at], ['string', null])
  await server.clock.advance((server.clock.now() + 61_000_000_000n) as Instant)
  assert.deepEqual([await works(app.client_secret), await works(client_secret)], [401, 200])
  assert.equal((await send(`GET ${path}`)).body.length, 1)
  assert.equal((await send(`DELETE ${path}/${secret_id}`)).status, 204)
  assert.equal((await send(`DELETE ${path}/${secret_id}`)).status, 404)
  assert.equal(await works(client_secret), 401)
})

test('an app has at most five secrets; a new one may expire the others at once', async () => {
  const app = await createApp()
  const path = `/v1/oauth/clients/${app.client_id}/secrets`
  for (let count = 2; count <= 5; count++) assert.equal((await send(`POST ${path}`)).status, 201)
  assert.equal((await send(`POST ${path}`)).status, 422)
  const { status, body } = await send(`POST ${path}`, { others_expire_in: 0 })
  assert.equal(status, 201)
  assert.deepEqual(
    (await send(`GET ${path}`)).body.map((one: { secret_id: string }) => one.secret_id),
    [body.secret_id],
  )
})

test('apps are listed newest first, in pages; an operator sees the apps of all partners', async () => {
  const [one, two] = [await createApp({ name: '1' }, stranger), await createApp({ name: '2' }, stranger)]
  const ids = async (query: string, key: KeyPair) =>
    (await send(`GET /v1/oauth/clients${query}`, undefined, key)).body.map(
      (app: { client_id: string }) => app.client_id,
    )
  assert.deepEqual(await ids('', stranger), [two.client_id, one.client_id])
  assert.deepEqual(await ids('?limit=1', stranger), [two.client_id])
  assert.deepEqual(await ids(`?limit=1&page_token=${two.client_id}`, stranger), [one.client_id])
  assert.deepEqual(await ids(`?page_token=${one.client_id}`, stranger), [])
  assert.ok((await ids('', operatorKey)).length > 2)
  assert.ok(!(await ids('', partnerKey)).includes(one.client_id))
  assert.equal((await send('GET /v1/oauth/clients?page_token=x')).status, 422)
  const renamed = await send(`PATCH /v1/oauth/clients/${one.client_id}`, { name: 'By operator' }, operatorKey)
  assert.deepEqual([renamed.body.name, renamed.body.owner], ['By operator', partnerId])
})
