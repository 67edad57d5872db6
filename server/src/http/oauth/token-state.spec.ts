import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import { execute, issueKey, type KeyPair } from '@quipu/broker/access/issue-keys.ts'
import type { Instant, WorldId } from '@quipu/core'
import { call } from '../testing/server.ts'
import { consentTestCode, REDIRECT, registerPublicTestApp, testProof } from './testing/apps.ts'
import { openPages } from './testing/pages.ts'
import {
  account,
  basic,
  clientFields,
  disable,
  exchange,
  introspect,
  openScene,
  refresh,
  revoke,
  type Scene,
  send,
  tokens,
} from './testing/tokens.ts'

const noClient = { client_id: undefined, client_secret: undefined }
const asKey = ({ keyId, secretKey }: KeyPair) => ({
  'apca-api-key-id': keyId,
  'apca-api-secret-key': secretKey,
})
const basicKey = ({ keyId, secretKey }: KeyPair) => basic({ clientId: keyId as never, secret: secretKey })

async function strangerOf({ world }: Scene): Promise<KeyPair> {
  const { partnerId } = await execute(world, { kind: 'addPartner', name: 'a stranger' }, 'partnerAdded')
  return issueKey(world, { kind: 'partner', partnerId, operator: false })
}

test('an app introspects its token: scope, app, account, issuer and time of issue', async (t) => {
  const scene = await openScene(t)
  const { access } = await tokens(scene)
  const { status, body, headers } = await introspect(scene, access)
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.deepEqual(body, {
    active: true,
    scope: 'trading data',
    client_id: scene.app.clientId,
    token_type: 'bearer',
    iat: Number(scene.clock.now() / 1_000_000_000n),
    sub: scene.accountId,
    iss: scene.url,
    accounts: [{ id: scene.accountId, env: 'paper' }],
  })
})

test('introspection returns the expiry, and works for refresh tokens', async (t) => {
  const scene = await openScene(t, { tokenSeconds: 600, refreshSeconds: 1200 })
  const first = await tokens(scene)
  const state = (await introspect(scene, first.access)).body
  assert.equal(state.exp, state.iat + 600)
  const next = (await introspect(scene, first.refresh, { token_type_hint: 'access_token' })).body
  assert.deepEqual([next.active, next.token_type, next.exp], [true, undefined, next.iat + 1200])
  const narrowed = (await refresh(scene, first.refresh, { scope: 'data' })).body
  assert.equal((await introspect(scene, narrowed.access_token)).body.scope, 'data')
  assert.deepEqual((await introspect(scene, first.refresh)).body, { active: false })
  await scene.clock.advance((scene.clock.now() + 601_000_000_000n) as Instant)
  assert.deepEqual((await introspect(scene, first.access)).body, { active: false })
})

test('a token of two accounts names both, and uses paper unless live is requested', async (t) => {
  const pages = await openPages({ liveTradingApproved: true })
  t.after(() => pages.close())
  const { world, app, userId, live, paper, url } = pages
  const { clientId } = app
  const code = randomUUID()
  const command = {
    kind: 'consent',
    userId,
    clientId,
    redirectUri: REDIRECT,
    scope: '',
    live,
    paper,
  } as const
  await execute(world, { ...command, code: digestOf(code) }, 'codeIssued')
  const scene = { ...pages, other: app }
  const { body } = await exchange(scene, code)
  const state = (await introspect(scene, body.access_token)).body
  assert.deepEqual(state.accounts, [
    { id: live, env: 'live' },
    { id: paper, env: 'paper' },
  ])
  assert.deepEqual([state.sub, state.scope, state.iss], [paper, '', url])
  assert.equal((await account(scene, body.access_token)).body.id, paper)
})

for (const [caller, headers, expected] of [
  ['its app by Basic', ({ app }) => basic(app), true],
  ['another app by Basic', ({ other }) => basic(other), false],
  ["a partner that may use the app, by its key's headers", ({ partnerKey }) => asKey(partnerKey), true],
  ['the same by Basic', ({ partnerKey }) => basicKey(partnerKey), true],
  ['an operator', ({ operatorKey }) => asKey(operatorKey), true],
  ['a partner that may not use the app', async (scene) => asKey(await strangerOf(scene)), false],
  ["a partner's key with a wrong secret", ({ partnerKey }) => asKey({ ...partnerKey, secretKey: 'x' }), 401],
  ['the same by Basic', ({ partnerKey }) => basicKey({ ...partnerKey, secretKey: 'x' }), 401],
  ['an unknown key', () => asKey({ keyId: 'PKNOBODYS', secretKey: 'x' }), 401],
  ['the key of an account', ({ key }) => asKey(key), 401],
  ['the token itself', (_, token) => ({ authorization: `Bearer ${token}` }), 401],
  ['an unknown token', () => ({ authorization: 'Bearer x' }), 401],
  ['a caller without credentials', () => ({}), 401],
] as readonly (readonly [
  string,
  (scene: Scene, token: string) => Record<string, string> | Promise<Record<string, string>>,
  boolean | 401,
])[])
  test(`a token introspected by ${caller}: ${expected}`, async (t) => {
    const scene = await openScene(t)
    const { access } = await tokens(scene)
    const { status, body } = await introspect(scene, access, noClient, await headers(scene, access))
    if (expected !== 401) return assert.deepEqual([status, body.active], [200, expected])
    assert.deepEqual([status, body.error], [401, 'invalid_client'])
  })

test('an operator introspects tokens of every world, a partner those of its world', async (t) => {
  const scene = await openScene(t)
  const { worlds } = scene.services
  const { access } = await tokens(scene)
  const { world } = await worlds.lifecycle.fork(worlds.entry('lab')!, 'fork' as WorldId)
  const [partnerId] = world.view.partners.keys()
  const owner = { kind: 'partner', partnerId: partnerId! } as const
  const partner = await issueKey(world, { ...owner, operator: false })
  const noOperator = await issueKey(world, { ...owner, operator: true })
  const isActive = async (key: KeyPair, token: string) =>
    (await introspect(scene, token, noClient, asKey(key))).body.active
  assert.equal(await isActive(partner, access), false)
  assert.equal(await isActive(noOperator, access), false, 'a key of a fork has no rights over the server')
  assert.equal(await isActive(scene.operatorKey, access), true)
})

test('a revoked token is inactive, and tokens of other consents stay valid', async (t) => {
  const scene = await openScene(t)
  const [one, two] = [await tokens(scene), await tokens(scene)]
  const { status, headers, body } = await revoke(scene, one.access, { token_type_hint: 'refresh_token' })
  assert.deepEqual([status, body], [200, {}])
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal((await account(scene, one.access)).status, 401)
  assert.deepEqual((await introspect(scene, one.access)).body, { active: false })
  assert.equal((await account(scene, two.access)).status, 200)
})

test('revoking a refresh token revokes all tokens of the consent', async (t) => {
  const scene = await openScene(t, { tokenSeconds: 600 })
  const first = await tokens(scene)
  const second = (await refresh(scene, first.refresh)).body
  assert.equal((await revoke(scene, first.access)).status, 200)
  assert.equal((await account(scene, second.access_token)).status, 200)
  assert.equal((await revoke(scene, second.refresh_token)).status, 200)
  assert.equal((await account(scene, second.access_token)).status, 401)
  assert.equal((await refresh(scene, second.refresh_token)).body.error, 'invalid_grant')
})

test('revoking an unknown token or a token of another app succeeds and changes nothing', async (t) => {
  const scene = await openScene(t)
  const { access } = await tokens(scene)
  const seq = scene.world.view.seq
  for (const [token, client] of [
    ['unknown', scene.app],
    [access, scene.other],
  ] as const) {
    const { status, body } = await revoke(scene, token, clientFields(client))
    assert.deepEqual([status, body], [200, {}])
  }
  assert.equal(scene.world.view.seq, seq)
  assert.equal((await account(scene, access)).status, 200)
})

for (const [path, post] of [
  ['/oauth/revoke', revoke],
  ['/oauth/introspect', introspect],
] as const) {
  test(`${path}: every wrong app gets the same 401`, async (t) => {
    const scene = await openScene(t)
    const { access } = await tokens(scene)
    const rows = [
      { client_id: '0'.repeat(32) },
      { client_secret: 'a guess' },
      { client_secret: undefined },
      { client_secret: scene.other.secret },
      noClient,
    ]
    const responses = []
    for (const patch of rows) responses.push(await post(scene, access, patch))
    await disable(scene, scene.app)
    responses.push(await post(scene, access))
    for (const { status, body, headers } of responses) {
      assert.equal(status, 401)
      assert.equal(body.error, 'invalid_client')
      assert.deepEqual(body, responses[0]!.body)
      assert.match(headers.get('www-authenticate') ?? '', /^Basic /)
      assert.equal(headers.get('x-quipu-world'), null)
    }
  })

  test(`${path}: a missing or repeated token is an invalid_request`, async (t) => {
    const scene = await openScene(t)
    const client = clientFields(scene.app)
    const missing = (await send(scene, path, client)).body
    assert.deepEqual([missing.error, missing.error_description], ['invalid_request', 'token is missing'])
    const twice = (await send(scene, path, { token: ['a', 'b'], ...client })).body
    assert.equal(twice.error_description, 'token is given more than once')
  })
}

test('a public app cannot introspect tokens, but can revoke them; its partner can introspect', async (t) => {
  const scene = await openScene(t)
  const { clientId } = await registerPublicTestApp(scene.world)
  const { verifier, challenge } = testProof()
  const code = await consentTestCode(scene.world, { clientId }, scene.accountId, { challenge })
  const clientOnly = { client_id: clientId, client_secret: undefined }
  const { access_token: token } = (await exchange(scene, code, { ...clientOnly, code_verifier: verifier }))
    .body
  const refused = await introspect(scene, token, clientOnly)
  assert.deepEqual([refused.status, refused.body.error], [401, 'invalid_client'])
  const isActive = async () => (await introspect(scene, token, noClient, asKey(scene.partnerKey))).body.active
  assert.equal(await isActive(), true)
  assert.equal((await revoke(scene, token, clientOnly)).status, 200)
  assert.equal(await isActive(), false)
})

for (const publicUrl of [undefined, 'https://broker.example', 'https://broker.example/'])
  test(`the metadata has the URLs of ${publicUrl ?? 'the listening address'}`, async (t) => {
    const scene = await openScene(t, {}, publicUrl ? { binding: { publicUrl } } : {})
    const server = { url: `http://127.0.0.1:${scene.serving.port}` }
    const { status, body } = await call(server, 'GET /.well-known/oauth-authorization-server')
    assert.equal(status, 200)
    const issuer = publicUrl ? 'https://broker.example' : server.url
    assert.deepEqual(body, {
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      introspection_endpoint: `${issuer}/oauth/introspect`,
      service_documentation: `${issuer}/docs`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
      revocation_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
      introspection_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      scopes_supported: ['account:write', 'trading', 'data', 'tokenization', 'general'],
      authorization_response_iss_parameter_supported: true,
    })
  })
