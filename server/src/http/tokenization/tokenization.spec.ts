import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulatedChain } from '@quipu/broker/chain/simulated.ts'
import { builtinIssuer, setUpIssuers } from '@quipu/broker/issuer/builtin.ts'
import type { TokenIssuer } from '@quipu/broker/issuer/issuer.ts'
import { makeRunJob } from '@quipu/broker/world/jobs.ts'
import { buy, decided } from '@quipu/broker/world/testing/world.ts'
import { auditFaults, definedFields, type Instant } from '@quipu/core'
import { oauthHandlers } from '../oauth/oauth.ts'
import { REDIRECT, registerTestApp } from '../oauth/testing/apps.ts'
import { type Called, call, openTestServer, type TestServer } from '../testing/server.ts'
import { tokenizationHandlers } from './tokenization.ts'

type Test = { after(run: () => Promise<void>): void }
const chain = simulatedChain()

/** A server whose first account holds ten shares of AAPL and may mint. */
async function open(t: Test, issuer: Partial<TokenIssuer> = {}, issuerWaitMs?: number): Promise<TestServer> {
  const server = await openTestServer({
    handlers: {
      ...oauthHandlers,
      ...tokenizationHandlers({ chain, ...definedFields({ issuerWaitMs }) }),
    },
    runJob: makeRunJob({ chain, issuer: { ...builtinIssuer(chain), ...issuer } }),
  })
  t.after(() => server.close())
  const { world, accountId, clock } = server
  const [partnerId] = world.view.partners.keys()
  await setUpIssuers(world, { partnerId: partnerId!, link: [accountId] })
  assert.ok((await decided(world, buy(world.view.accounts.get(accountId)!, 'AAPL', '10'))).ok)
  await clock.advance((clock.now() + 1_000_000_000n) as Instant)
  return server
}

const wallet = '0x52908400098527886e0f7030069857d2e4169ee7'
const plain = {
  underlying_symbol: 'AAPL',
  qty: '1.50',
  issuer: 'xstocks',
  network: 'base',
  wallet_address: wallet,
}

type Options = { readonly idempotency?: string; readonly key?: TestServer['key'] }

const mint = (server: TestServer, patch: object = {}, { idempotency, key = server.key }: Options = {}) =>
  call(server, 'POST /v2/tokenization/mint', {
    key,
    body: { ...plain, ...patch },
    headers: idempotency === undefined ? {} : { 'idempotency-key': idempotency },
  })
const read = (server: TestServer, path: string, key = server.key): Promise<Called> =>
  call(server, `GET /v2/tokenization/${path}`, { key })
const rows = async (server: TestServer): Promise<number> => (await read(server, 'requests')).body.length
const held = ({ world, accountId }: TestServer): bigint =>
  world.view.positions.get(accountId)?.get('AAPL' as never)?.quantity ?? 0n

test('a mint is first pending, then completed, and returns its fields unchanged', async (t) => {
  const server = await open(t)
  const { status, body } = await mint(server, { client_request_id: 'my label' })
  assert.equal(status, 200)
  const { tokenization_request_id: id, created_at: createdAt, ...rest } = body
  assert.equal(createdAt, '2026-11-02T15:00:01Z')
  const fields = { ...plain, type: 'mint', token_symbol: 'AAPLx', client_request_id: 'my label' }
  assert.deepEqual(rest, { ...fields, status: 'pending' })

  await server.world.commands.quiet()
  const later = await read(server, `requests/${id.toUpperCase()}`)
  assert.equal(later.status, 200)
  const { updated_at: updatedAt, tx_hash: txHash, ...ended } = later.body
  const same = { tokenization_request_id: id, created_at: createdAt }
  assert.deepEqual(ended, { ...fields, ...same, status: 'completed', fees: '0' })
  assert.match(updatedAt, /^2026-11-02T15:00:01\.00000000\dZ$/)
  assert.match(txHash, /^0x[0-9a-f]{64}$/)
  assert.equal(held(server), 8_500_000_000n)
  assert.deepEqual(auditFaults(server.world.view), [])
})

test('a repeated key with the same body returns the first response, also after the request has ended', async (t) => {
  const server = await open(t)
  const first = await mint(server, {}, { idempotency: 'k-1' })
  assert.equal(first.headers.get('idempotent-replayed'), null)
  await server.world.commands.quiet()
  await mint(server)
  await server.world.commands.quiet()
  assert.ok(!server.world.view.requests.has(first.body.tokenization_request_id), 'not in memory')
  const reordered = Object.fromEntries(Object.entries(plain).reverse())
  for (const again of [
    await mint(server, {}, { idempotency: ' k-1 ' }),
    await call(server, 'POST /v2/tokenization/mint', {
      key: server.key,
      body: reordered,
      headers: { 'idempotency-key': 'k-1' },
    }),
  ]) {
    assert.equal(again.status, 200)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(again.body, first.body)
  }
  assert.equal((await mint(server, { qty: '1' }, { idempotency: 'k-1' })).status, 422)
  const later = await read(server, `requests/${first.body.tokenization_request_id}`)
  assert.equal(later.body.status, 'completed')
  assert.equal(await rows(server), 2)
})

test('twenty calls at once with one key are one request', async (t) => {
  const server = await open(t)
  const all = await Promise.all(
    Array.from({ length: 20 }, () => mint(server, { qty: '2' }, { idempotency: 'one' })),
  )
  for (const { status, body } of all) assert.deepEqual([status, body], [200, all[0]!.body])
  assert.equal(all.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 19)
  assert.equal(await rows(server), 1)
  await server.world.commands.quiet()
  assert.equal(held(server), 8_000_000_000n)
})

test('a key belongs to one account; another account may use the same key', async (t) => {
  const server = await open(t)
  await mint(server, {}, { idempotency: 'k' })
  const { status, headers } = await mint(server, {}, { idempotency: 'k', key: server.otherKey })
  assert.equal(status, 400)
  assert.equal(headers.get('idempotent-replayed'), null)
})

for (const [when, patch] of [
  ['1.5 for 1.50', { qty: '1.5' }],
  ['another wallet', { wallet_address: `${wallet.slice(0, -1)}8` }],
  ['a label', { client_request_id: 'label' }],
  ['an unknown field', { another_field: 1 }],
] as const)
  test(`a repeated key with another body is refused: ${when}`, async (t) => {
    const server = await open(t)
    await mint(server, {}, { idempotency: 'k' })
    const { status, body } = await mint(server, patch, { idempotency: 'k' })
    assert.deepEqual([status, body.code], [422, 42210001])
    assert.equal(await rows(server), 1)
  })

for (const key of ['two words', 'x'.repeat(129), 'caf\u00e9', ''])
  test(`the key "${key.slice(0, 12)}" is malformed`, async (t) => {
    const server = await open(t)
    const { status, body } = await mint(server, {}, { idempotency: key })
    assert.deepEqual([status, body.code], [400, 40010000])
    assert.equal(await rows(server), 0)
  })

for (const [when, patch, expected] of [
  ['more than is held', { qty: '10.000000001' }, [400, 40010000]],
  ['a share that is not held', { underlying_symbol: 'MSFT' }, [400, 40010000]],
  ['an unknown share', { underlying_symbol: 'ZZZZ' }, [422, 42210001]],
  ['an issuer it is not linked to', { issuer: 'ondo' }, [400, 40010000]],
  ['an unknown issuer', { issuer: 'nobody' }, [422, 42210001]],
  ['an unknown network', { network: 'bsc' }, [422, 42210001]],
  ['ten decimals', { qty: '1.0000000001' }, [400, 40010000]],
  ['zero', { qty: '0' }, [422, 42210001]],
  ['a negative quantity', { qty: '-1' }, [422, 42210001]],
  ['a quantity out of range', { qty: '9'.repeat(16) }, [422, 42210001]],
  ['no wallet', { wallet_address: '' }, [422, 42210001]],
  ['a wallet with a space', { wallet_address: 'a b' }, [422, 42210001]],
  ['a label with a leading space', { client_request_id: ' label' }, [422, 42210001]],
] as const)
  test(`a mint of or with ${when} is ${expected[0]}; nothing is stored, and the key can be used again`, async (t) => {
    const server = await open(t)
    const { status, body } = await mint(server, patch, { idempotency: 'k' })
    assert.deepEqual([status, body.code], expected)
    assert.equal(await rows(server), 0)
    const corrected = await mint(server, {}, { idempotency: 'k' })
    assert.deepEqual([corrected.status, corrected.headers.get('idempotent-replayed')], [200, null])
  })

test('of two mints at once for the last shares one succeeds', async (t) => {
  const server = await open(t)
  const all = await Promise.all([mint(server, { qty: '6' }), mint(server, { qty: '6' })])
  assert.deepEqual(all.map(({ status }) => status).sort(), [200, 400])
  const refused = all.find(({ status }) => status === 400)!
  assert.match(refused.body.message, /insufficient position/)
  assert.equal(await rows(server), 1)
})

test('a refusal of the issuer is returned with its text, stored as rejected, and uses up the key', async (t) => {
  const reason = 'Insufficient Eligibility: Client not eligible'
  const server = await open(t, { mint: async () => ({ ok: false, reason }) })
  const [first, ...others] = await Promise.all(
    Array.from({ length: 3 }, () => mint(server, {}, { idempotency: 'k' })),
  )
  assert.deepEqual([first!.status, first!.body.code, first!.body.message], [400, 40010000, reason])
  for (const again of [...others, await mint(server, {}, { idempotency: 'k' })]) {
    assert.equal(again.status, 400)
    assert.equal(again.body.reason, 'idempotencyKeyOfRejected')
  }
  const { body } = await read(server, 'requests?status=rejected')
  assert.equal(body.length, 1)
  assert.deepEqual([body[0].status, body[0].tx_hash, body[0].fees], ['rejected', null, null])
  assert.equal((await mint(server, { qty: '10' }, { idempotency: 'k' })).status, 422)
})

test('with a slow or unreachable issuer the response is pending', async (t) => {
  const slow = await open(t, { mint: () => new Promise(() => undefined) }, 20)
  assert.deepEqual((await mint(slow)).body.status, 'pending')
  const unreachable = await open(t, { mint: () => Promise.reject(new Error('connection refused')) })
  const { status, body } = await mint(unreachable, {}, { idempotency: 'k' })
  assert.deepEqual([status, body.status], [200, 'pending'])
  assert.deepEqual((await mint(unreachable, {}, { idempotency: 'k' })).body, body)
})

test('requests are listed newest first and found by every filter', async (t) => {
  const server = await open(t)
  const ids: string[] = []
  const times: string[] = []
  for (const patch of [{}, { issuer: 'st0x', network: 'solana' }, { qty: '2', client_request_id: 'l' }]) {
    const { body } = await mint(server, patch)
    ids.unshift(body.tokenization_request_id)
    times.unshift(body.created_at)
  }
  await server.world.commands.quiet()
  const [newest, middle, oldest] = ids
  for (const [query, expected] of [
    ['', ids],
    ['?type=mint', ids],
    ['?type=redeem', []],
    ['?status=completed', ids],
    ['?status=pending', []],
    ['?issuer=st0x', [middle]],
    ['?network=base', [newest, oldest]],
    ['?underlying_symbol=AAPL', ids],
    ['?underlyingSymbol=MSFT', []],
    [`?after=${times[1]}`, [newest]],
    [`?before=${times[1]}`, [oldest]],
    [`?after=${times[2]}&before=${times[0]}`, [middle]],
  ] as const) {
    const { status, body } = await read(server, `requests${query}`)
    assert.equal(status, 200)
    assert.deepEqual(
      body.map((request: { tokenization_request_id: string }) => request.tokenization_request_id),
      expected,
      query,
    )
  }
  assert.ok((await read(server, 'requests')).body.every((one: object) => !('issuer_request_id' in one)))
  assert.deepEqual((await read(server, 'requests', server.otherKey)).body, [])
})

test('a label finds the newest request with this label', async (t) => {
  const server = await open(t)
  const by = (label: string, key = server.key) =>
    read(server, `requests:by_client_request_id?client_request_id=${label}`, key)
  await mint(server, { client_request_id: 'twice' })
  const second = await mint(server, { client_request_id: 'twice' })
  const found = await by('twice')
  assert.equal(found.body.tokenization_request_id, second.body.tokenization_request_id)
  for (const { status, body } of [await by('never'), await by('twice', server.otherKey)])
    assert.deepEqual([status, body.code], [404, 40410000])
  const missing = await read(server, 'requests:by_client_request_id')
  assert.deepEqual([missing.status, missing.body.code], [422, 42210001])
})

for (const [when, path, expected] of [
  ['an unknown id', 'requests/7a3c52a9-10e1-4c2a-8bb1-4da2b6b8e711', [404, 40410000]],
  ['a malformed id', 'requests/7', [422, 42210001]],
  ['a malformed time', 'requests?after=yesterday', [422, 42210001]],
  ['an unknown status', 'requests?status=confirmed', [422, 42210001]],
] as const)
  test(`a lookup with ${when} is ${expected[0]}`, async (t) => {
    const server = await open(t)
    const { status, body } = await read(server, path)
    assert.deepEqual([status, body.code], expected)
  })

test('a request of another account is not found', async (t) => {
  const server = await open(t)
  const { tokenization_request_id: id } = (await mint(server)).body
  assert.equal((await read(server, `requests/${id}`, server.otherKey)).status, 404)
  await server.world.commands.quiet()
  assert.equal((await read(server, `requests/${id}`, server.otherKey)).status, 404)
})

test('an OAuth token reads requests but cannot mint; a partner key cannot mint; no credentials is 401', async (t) => {
  const server = await open(t)
  const app = await registerTestApp(server.world)
  const issued = await call(server, 'POST /v1/oauth/token', {
    key: server.partnerKey,
    body: {
      client_id: app.clientId,
      client_secret: app.secret,
      redirect_uri: REDIRECT,
      scope: 'account:write trading data',
      account_id: server.accountId,
    },
  })
  const headers = { authorization: `Bearer ${issued.body.access_token}` }
  assert.equal((await call(server, 'GET /v2/tokenization/requests', { headers })).status, 200)
  const minted = await call(server, 'POST /v2/tokenization/mint', { headers, body: plain })
  assert.deepEqual([minted.status, minted.body.code], [403, 40310000])
  assert.equal((await mint(server, {}, { key: server.partnerKey })).status, 403)
  const anonymous = await call(server, 'POST /v2/tokenization/mint', { body: plain })
  assert.deepEqual([anonymous.status, anonymous.body.message], [401, 'unauthorized'])
  assert.equal(await rows(server), 0)
})
