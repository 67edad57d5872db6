import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../testing/server.ts'
import { held, mint, openMints, plain, read, rows, wallet } from './testing/mints.ts'

test('a repeated key with the same body returns the first response, also after the request has ended', async (t) => {
  const server = await openMints(t)
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
  const server = await openMints(t)
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
  const server = await openMints(t)
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
    const server = await openMints(t)
    await mint(server, {}, { idempotency: 'k' })
    const { status, body } = await mint(server, patch, { idempotency: 'k' })
    assert.deepEqual([status, body.code], [422, 42210001])
    assert.equal(await rows(server), 1)
  })

for (const key of ['two words', 'x'.repeat(129), 'caf\u00e9', ''])
  test(`the key "${key.slice(0, 12)}" is malformed`, async (t) => {
    const server = await openMints(t)
    const { status, body } = await mint(server, {}, { idempotency: key })
    assert.deepEqual([status, body.code], [400, 40010000])
    assert.equal(await rows(server), 0)
  })
