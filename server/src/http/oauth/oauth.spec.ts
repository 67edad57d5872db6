import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import { execute, issueKey, type KeyPair } from '@quipu/broker/access/issue-keys.ts'
import type { Instant, WorldId } from '@quipu/core'
import { type Called, call, openTestServer, type TestServer } from '../testing/server.ts'
import { oauthHandlers } from './oauth.ts'
import { REDIRECT, registerTestApp, type TestApp } from './testing/apps.ts'

type Scene = TestServer & { readonly app: TestApp; readonly other: TestApp; readonly strangerKey: KeyPair }
type Test = { after(run: () => Promise<void>): void }

async function openScene(t: Test): Promise<Scene> {
  const server = await openTestServer({ handlers: oauthHandlers })
  t.after(() => server.close())
  const { world } = server
  const app = await registerTestApp(world)
  const other = await registerTestApp(world, { name: 'Another app' })
  const { partnerId } = await execute(world, { kind: 'addPartner', name: 'a stranger' }, 'partnerAdded')
  const strangerKey = await issueKey(world, { kind: 'partner', partnerId, operator: false })
  return { ...server, app, other, strangerKey }
}

const requestOf = ({ app, accountId }: Scene, patch: object = {}) => ({
  client_id: app.clientId,
  client_secret: app.secret,
  redirect_uri: REDIRECT,
  scope: 'trading',
  account_id: accountId,
  ...patch,
})

const authorize = (scene: Scene, patch?: object, key = scene.partnerKey): Promise<Called> =>
  call(scene, 'POST /v1/oauth/authorize', { key, body: requestOf(scene, patch) })
const issue = (scene: Scene, patch?: object, key = scene.partnerKey): Promise<Called> =>
  call(scene, 'POST /v1/oauth/token', { key, body: requestOf(scene, patch) })

type Form = Record<string, string | undefined>

function exchange(scene: Scene, code: string, patch: Form = {}, headers: Record<string, string> = {}) {
  const fields: Form = {
    grant_type: 'authorization_code',
    code,
    client_id: scene.app.clientId,
    client_secret: scene.app.secret,
    redirect_uri: REDIRECT,
    ...patch,
  }
  const sentFields = Object.entries(fields).filter(
    (field): field is [string, string] => field[1] !== undefined,
  )
  return call(scene, 'POST /oauth/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(sentFields).toString(),
  })
}

const account = (scene: Scene, token: string): Promise<Called> =>
  call(scene, 'GET /v2/account', { headers: { authorization: `Bearer ${token}` } })

const RANDOM = /^00[0-9a-f]{6}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const hyphened = (id: string): string => id.toUpperCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

test('a partner reads an app: nine fields and no secret', async (t) => {
  const scene = await openScene(t)
  const { status, body } = await call(scene, `GET /v1/oauth/clients/${hyphened(scene.app.clientId)}`, {
    key: scene.partnerKey,
  })
  assert.equal(status, 200)
  assert.deepEqual(body, {
    client_id: scene.app.clientId,
    name: 'Trading app',
    description: 'It trades.',
    url: 'https://app.example',
    terms_of_use: '',
    privacy_policy: '',
    status: 'ACTIVE',
    redirect_uri: [REDIRECT],
    live_trading_approved: false,
  })
})

test('a code is exchanged for a token that reads the account', async (t) => {
  const scene = await openScene(t)
  const authorized = await authorize(scene, { client_id: hyphened(scene.app.clientId) })
  assert.equal(authorized.status, 200)
  assert.equal(authorized.headers.get('cache-control'), 'no-store')
  const { code, ...rest } = authorized.body
  assert.match(code, RANDOM)
  assert.deepEqual(rest, { client_id: scene.app.clientId, redirect_uri: REDIRECT, scope: 'trading' })

  const exchanged = await exchange(scene, code, { client_id: hyphened(scene.app.clientId) })
  assert.equal(exchanged.status, 200)
  assert.equal(exchanged.headers.get('cache-control'), 'no-store')
  assert.equal(exchanged.headers.get('pragma'), 'no-cache')
  assert.equal(exchanged.headers.get('x-quipu-world'), 'lab')
  const { access_token: token, ...response } = exchanged.body
  assert.match(token, RANDOM)
  assert.deepEqual(response, { token_type: 'bearer', scope: 'trading' })
  assert.equal((await account(scene, token)).body.id, scene.accountId)
})

test('a token is issued without a code, with the type Bearer and the requested scope', async (t) => {
  const scene = await openScene(t)
  const { status, body, headers } = await issue(scene, { scope: 'general' })
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'no-store')
  const { access_token: token, ...rest } = body
  assert.match(token, RANDOM)
  assert.deepEqual(rest, { token_type: 'Bearer', scope: 'general' })
  assert.equal((await account(scene, token)).status, 200)
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  const bearer = { authorization: `Bearer ${token}` }
  const refused = await call(scene, 'POST /v2/orders', { headers: bearer, body: order })
  assert.deepEqual([refused.status, refused.body.code], [401, 40110000])
  const trading = (await issue(scene)).body.access_token
  const placed = await call(scene, 'POST /v2/orders', {
    headers: { authorization: `Bearer ${trading}` },
    body: order,
  })
  assert.equal(placed.status, 200)
})

test('every wrong app gets the same 401, whatever else is wrong', async (t) => {
  const scene = await openScene(t)
  const disabled = await registerTestApp(scene.world)
  const [partnerId] = scene.world.view.partners.keys()
  await scene.world.commands.submit(
    { kind: 'changeAppStatus', partnerId: partnerId!, clientId: disabled.clientId, status: 'disabled' },
    () => undefined,
  )
  const wrong = { redirect_uri: 'nowhere', scope: 'everything', account_id: 'nobody' }
  const responses: Called[] = []
  for (const send of [authorize, issue])
    responses.push(
      await send(scene, { client_id: '0'.repeat(32), ...wrong }),
      await send(scene, { client_id: 'no id', ...wrong }),
      await send(scene, { client_id: undefined, ...wrong }),
      await send(scene, { client_id: 7, ...wrong }),
      await send(scene, { client_secret: 'a guess', ...wrong }),
      await send(scene, { client_secret: undefined, ...wrong }),
      await send(scene, { client_secret: '', ...wrong }),
      await send(scene, { client_secret: scene.other.secret, ...wrong }),
      await send(scene, { client_id: disabled.clientId, client_secret: disabled.secret, ...wrong }),
      await send(scene, wrong, scene.strangerKey),
    )
  for (const [name, key] of [
    ['0'.repeat(32), scene.partnerKey],
    ['no-id', scene.partnerKey],
    [scene.app.clientId, scene.strangerKey],
  ] as const)
    responses.push(await call(scene, `GET /v1/oauth/clients/${name}`, { key }))
  for (const { status, body } of responses) {
    assert.equal(status, 401)
    assert.deepEqual(body, responses[0]!.body)
  }
  const shown = await call(scene, `GET /v1/oauth/clients/${disabled.clientId}`, { key: scene.partnerKey })
  assert.deepEqual([shown.status, shown.body.status], [200, 'DISABLED'])
})

for (const [field, value] of [
  ['redirect_uri', `${REDIRECT}/`],
  ['redirect_uri', undefined],
  ['scope', 'everything'],
  ['scope', undefined],
  ['scope', 'tokenization'],
  ['account_id', '7a3c52a9-10e1-4c2a-8bb1-4da2b6b8e711'],
  ['account_id', undefined],
] as const)
  test(`a grant with ${field} ${value ?? 'missing'} is refused with 422`, async (t) => {
    const scene = await openScene(t)
    for (const send of [authorize, issue]) {
      const { status, body } = await send(scene, { [field]: value })
      assert.deepEqual([status, body.code, body.message], [422, 42210000, `${field} is invalid`])
    }
  })

test('using a code twice fails and revokes the token of the first use', async (t) => {
  const scene = await openScene(t)
  const { code } = (await authorize(scene)).body
  const token = (await exchange(scene, code)).body.access_token
  assert.equal((await account(scene, token)).status, 200)
  for (let again = 0; again < 2; again++) {
    const { status, body } = await exchange(scene, code)
    assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  }
  assert.equal((await account(scene, token)).status, 401)
})

test('of many exchanges of one code at once exactly one gets a token', async (t) => {
  const scene = await openScene(t)
  const { code } = (await authorize(scene)).body
  const all = await Promise.all(Array.from({ length: 20 }, () => exchange(scene, code)))
  assert.equal(all.filter(({ status }) => status === 200).length, 1)
  assert.equal(all.filter(({ body }) => body.error === 'invalid_grant').length, 19)
})

for (const [seconds, status] of [
  [59n, 200],
  [61n, 400],
] as const)
  test(`a code that is ${seconds} s old: ${status}`, async (t) => {
    const scene = await openScene(t)
    const { code } = (await authorize(scene)).body
    await scene.clock.advance((scene.clock.now() + seconds * 1_000_000_000n) as Instant)
    assert.equal((await exchange(scene, code)).status, status)
  })

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})
const none = { client_id: undefined, client_secret: undefined }

for (const [when, patch, headers, error] of [
  ['Basic instead', () => none, ({ app }) => basic(app.clientId, app.secret), undefined],
  ['Basic as well', () => ({}), ({ app }) => basic(app.clientId, app.secret), undefined],
  ['Basic with another id', () => ({}), ({ other }) => basic(other.clientId, other.secret), 'invalid_client'],
  ['Basic with a wrong secret', () => none, ({ app }) => basic(app.clientId, 'guess'), 'invalid_client'],
  ['malformed Basic', () => none, () => ({ authorization: 'Basic !' }), 'invalid_client'],
  ['Bearer', () => ({}), () => ({ authorization: 'Bearer x' }), 'invalid_client'],
  ['no app', () => none, () => ({}), 'invalid_client'],
  ['an unknown app', () => ({ client_id: '0'.repeat(32) }), () => ({}), 'invalid_client'],
  ['a wrong secret', () => ({ client_secret: 'guess' }), () => ({}), 'invalid_client'],
  ['no secret', () => ({ client_secret: undefined }), () => ({}), 'invalid_client'],
  [
    "another app's id and secret",
    ({ other }) => ({ client_id: other.clientId, client_secret: other.secret }),
    () => ({}),
    'invalid_grant',
  ],
  ["another app's secret", ({ other }) => ({ client_secret: other.secret }), () => ({}), 'invalid_client'],
  ['another redirect URI', () => ({ redirect_uri: `${REDIRECT}/` }), () => ({}), 'invalid_grant'],
  ['no redirect URI', () => ({ redirect_uri: undefined }), () => ({}), 'invalid_request'],
  ['another code', () => ({ code: 'scene up' }), () => ({}), 'invalid_grant'],
  ['no code', () => ({ code: undefined }), () => ({}), 'invalid_request'],
  ['no grant type', () => ({ grant_type: undefined }), () => ({}), 'invalid_request'],
  ['another grant type', () => ({ grant_type: 'password' }), () => ({}), 'unsupported_grant_type'],
] as readonly (readonly [
  string,
  (scene: Scene) => Form,
  (scene: Scene) => Record<string, string>,
  string | undefined,
])[])
  test(`an exchange with ${when}: ${error ?? 'a token'}; a failed exchange keeps the code valid`, async (t) => {
    const scene = await openScene(t)
    const { code } = (await authorize(scene)).body
    const { status, body, headers: received } = await exchange(scene, code, patch(scene), headers(scene))
    assert.equal(body.error, error)
    assert.equal(received.get('cache-control'), 'no-store')
    if (error === undefined) return
    assert.equal(status, error === 'invalid_client' ? 401 : 400)
    assert.equal(typeof body.error_description, 'string')
    // No header may reveal whether and where the app exists.
    if (error === 'invalid_client') assert.equal(received.get('x-quipu-world'), null)
    assert.equal((await exchange(scene, code)).status, 200)
  })

test('a code of a fork is exchanged in the fork', async (t) => {
  const scene = await openScene(t)
  const { worlds } = scene.services
  const { world: fork } = await worlds.lifecycle.fork(worlds.entry('lab')!, 'fork' as WorldId)
  const [partnerId] = fork.view.partners.keys()
  const key = await issueKey(fork, { kind: 'partner', partnerId: partnerId!, operator: false })
  const { code } = (await authorize(scene, {}, key)).body
  const { headers, body } = await exchange(scene, code)
  assert.equal(headers.get('x-quipu-world'), 'fork')
  assert.equal((await account(scene, body.access_token)).headers.get('x-quipu-world'), 'fork')
})

test('no secret, code or token is written to the log or to the open part of the journal', async (t) => {
  const scene = await openScene(t)
  const { code } = (await authorize(scene)).body
  const exchanged = (await exchange(scene, code)).body.access_token
  const issued = (await issue(scene)).body.access_token
  await exchange(scene, code, { client_secret: 'a wrong secret' })
  await account(scene, issued)
  await scene.world.commands.quiet()
  const parts: Buffer[] = []
  for await (const entries of scene.world.storage.journal.read(0))
    parts.push(...entries.map(({ open }) => open))
  const open = Buffer.concat(parts)
  for (const secret of [code, exchanged, issued, scene.app.secret, 'a wrong secret']) {
    assert.ok(!scene.lines.some((line) => line.includes(secret)))
    assert.ok(!open.includes(secret))
    assert.ok(!open.includes(Buffer.from(digestOf(secret), 'hex')))
  }
  assert.ok(!open.includes(scene.app.clientId))
  assert.ok(!open.includes(Buffer.from(scene.app.clientId, 'hex')))
})
