import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditFaults } from '@quipu/core'
import { REDIRECT, registerTestApp } from '../oauth/testing/apps.ts'
import { call } from '../testing/server.ts'
import { held, mint, openMints, plain, read, rows } from './testing/mints.ts'

test('a mint is first pending, then completed, and returns its fields unchanged', async (t) => {
  const server = await openMints(t)
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
    const server = await openMints(t)
    const { status, body } = await mint(server, patch, { idempotency: 'k' })
    assert.deepEqual([status, body.code], expected)
    assert.equal(await rows(server), 0)
    const corrected = await mint(server, {}, { idempotency: 'k' })
    assert.deepEqual([corrected.status, corrected.headers.get('idempotent-replayed')], [200, null])
  })

test('of two mints at once for the last shares one succeeds', async (t) => {
  const server = await openMints(t)
  const all = await Promise.all([mint(server, { qty: '6' }), mint(server, { qty: '6' })])
  assert.deepEqual(all.map(({ status }) => status).sort(), [200, 400])
  const refused = all.find(({ status }) => status === 400)!
  assert.match(refused.body.message, /insufficient position/)
  assert.equal(await rows(server), 1)
})

test('a refusal of the issuer is returned with its text, stored as rejected, and uses up the key', async (t) => {
  const reason = 'Insufficient Eligibility: Client not eligible'
  const server = await openMints(t, { mint: async () => ({ ok: false, reason }) })
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
  const slow = await openMints(t, { mint: () => new Promise(() => undefined) }, 20)
  assert.deepEqual((await mint(slow)).body.status, 'pending')
  const unreachable = await openMints(t, { mint: () => Promise.reject(new Error('connection refused')) })
  const { status, body } = await mint(unreachable, {}, { idempotency: 'k' })
  assert.deepEqual([status, body.status], [200, 'pending'])
  assert.deepEqual((await mint(unreachable, {}, { idempotency: 'k' })).body, body)
})

test('requests are listed newest first and found by every filter', async (t) => {
  const server = await openMints(t)
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
  const server = await openMints(t)
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
    const server = await openMints(t)
    const { status, body } = await read(server, path)
    assert.deepEqual([status, body.code], expected)
  })

test('a request of another account is not found', async (t) => {
  const server = await openMints(t)
  const { tokenization_request_id: id } = (await mint(server)).body
  assert.equal((await read(server, `requests/${id}`, server.otherKey)).status, 404)
  await server.world.commands.quiet()
  assert.equal((await read(server, `requests/${id}`, server.otherKey)).status, 404)
})

test('an OAuth token reads requests but cannot mint; a partner key cannot mint; no credentials is 401', async (t) => {
  const server = await openMints(t)
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
