import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import { type Called, call } from '../testing/server.ts'
import { REDIRECT, registerTestApp } from './testing/apps.ts'
import { authorize, exchange, issue, openScene, readAccount } from './testing/oauth-calls.ts'

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
  assert.equal((await readAccount(scene, token)).body.id, scene.accountId)
})

test('a token is issued without a code, with the type Bearer and the requested scope', async (t) => {
  const scene = await openScene(t)
  const { status, body, headers } = await issue(scene, { scope: 'general' })
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'no-store')
  const { access_token: token, ...rest } = body
  assert.match(token, RANDOM)
  assert.deepEqual(rest, { token_type: 'Bearer', scope: 'general' })
  assert.equal((await readAccount(scene, token)).status, 200)
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

test('no secret, code or token is written to the log or to the open part of the journal', async (t) => {
  const scene = await openScene(t)
  const { code } = (await authorize(scene)).body
  const exchanged = (await exchange(scene, code)).body.access_token
  const issued = (await issue(scene)).body.access_token
  await exchange(scene, code, { client_secret: 'a wrong secret' })
  await readAccount(scene, issued)
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
