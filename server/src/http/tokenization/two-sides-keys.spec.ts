import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditFaults } from '@quipu/core'
import { openTokenStage } from './testing/issuers.ts'
import { callback, mintAs, path, redeemBody, requestsOf } from './testing/two-sides.ts'

test('twenty mints at once with one key are one request', async (t) => {
  const stage = await openTokenStage(t)
  const all = await Promise.all(Array.from({ length: 20 }, () => mintAs(stage, 'one')))
  for (const { status, body } of all) assert.deepEqual([status, body], [200, all[0]!.body])
  assert.equal(all.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 19)
  await stage.world.commands.quiet()
  assert.equal((await requestsOf(stage)).length, 1)
  assert.equal(stage.sharesOf(), 8_500_000_000n)
  assert.equal(stage.externalIssuer.requests.filter(({ route }) => route === 'POST /mint').length, 1)
})

test('a key with another body is 422, a malformed key is 400, and neither changes anything', async (t) => {
  const stage = await openTokenStage(t)
  const first = await mintAs(stage, ' k ')
  await stage.world.commands.quiet()
  const { seq } = stage.world.view
  for (const [key, patch, status] of [
    ['k', { qty: '1.5' }, 422],
    ['k', { client_request_id: 'label' }, 422],
    ['k', { older_clients_send: 'more' }, 422],
    ['two words', {}, 400],
    ['x'.repeat(129), {}, 400],
    ['', {}, 400],
  ] as const)
    assert.equal((await mintAs(stage, key, patch)).status, status)
  assert.equal(stage.world.view.seq, seq)
  const again = await mintAs(stage, 'k')
  assert.deepEqual([again.status, again.body], [200, first.body])
  assert.equal((await mintAs(stage, 'x'.repeat(128))).headers.get('idempotent-replayed'), null)
})

test('a replay is 400 after the request was rejected, also if the first response was pending', async (t) => {
  const stage = await openTokenStage(t)
  stage.externalIssuer.respond = ({ route }) =>
    route === 'POST /confirm' ? { status: 422, body: { error: 'not today' } } : undefined
  assert.deepEqual((await mintAs(stage, 'k')).body.status, 'pending')
  await stage.world.commands.quiet()
  assert.equal(stage.sharesOf(), 10_000_000_000n)
  const again = await mintAs(stage, 'k')
  assert.deepEqual([again.status, again.body.reason], [400, 'idempotencyKeyOfRejected'])
  assert.equal(again.headers.get('idempotent-replayed'), null)
  assert.deepEqual(
    (await requestsOf(stage)).map(({ status, reason }: Record<string, string>) => [status, reason]),
    [['rejected', 'not today']],
  )
})

test('a redeem returns the shares; its key replays, and its id can be used once', async (t) => {
  const stage = await openTokenStage(t)
  const { st0x, world } = stage
  const { tokenization_request_id: minted } = (await stage.mint()).body
  await world.commands.quiet()
  const redeem = (headers = {}, patch = {}, rest = 'callback/redeem') =>
    stage.as(st0x.key, `POST ${path(st0x.accountId, rest)}`, { headers, body: redeemBody(stage, patch) })
  const early = await redeem()
  assert.deepEqual([early.status, early.body.code], [400, 40010000], 'no tokens are minted yet')
  await callback(stage, minted)
  const key = { 'idempotency-key': 'rk' }
  const all = await Promise.all(Array.from({ length: 20 }, () => redeem(key)))
  for (const { status, body } of all) assert.deepEqual([status, body], [200, all[0]!.body])
  assert.equal(all.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 19)
  const { tokenization_request_id: id, created_at: _, ...rest } = all[0]!.body
  const { client_account_id: __, ...sent } = redeemBody(stage)
  assert.deepEqual(rest, { ...sent, type: 'redeem', status: 'pending', issuer: 'st0x' })
  await world.commands.quiet()
  assert.equal(stage.sharesOf(), 10_000_000_000n)
  const { seq } = world.view
  assert.equal((await redeem(key, { qty: '1.5' })).status, 422)
  assert.match((await redeem({}, {}, 'redeem')).body.message, /issuer request id has already been used/)
  assert.equal(world.view.seq, seq)
  const [participantView] = await requestsOf(stage, '?type=redeem')
  assert.deepEqual(
    [participantView.tokenization_request_id, participantView.status, participantView.tx_hash],
    [id, 'completed', '0x77'],
  )
  assert.ok(!('issuer_request_id' in participantView))
  const byId = `requests:by_issuer_request_id?issuer_request_id=0x77`
  const issuerView = (await stage.as(st0x.key, `GET ${path(st0x.accountId, byId)}`)).body
  assert.deepEqual([issuerView.issuer_request_id, issuerView.client_account_id], ['0x77', stage.accountId])
  assert.deepEqual(auditFaults(world.view), [])
})

test('keys of mints and redeems are limited by the setting', async (t) => {
  const stage = await openTokenStage(t, 2000, { idempotencyKeyMax: 36 })
  const { seq } = stage.world.view
  const long = await mintAs(stage, 'x'.repeat(37))
  assert.deepEqual([long.status, long.body.code], [400, 40010000])
  assert.match(long.body.message, /longer than 36/)
  const { st0x } = stage
  const redeem = await stage.as(st0x.key, `POST ${path(st0x.accountId, 'callback/redeem')}`, {
    headers: { 'idempotency-key': 'x'.repeat(37) },
    body: redeemBody(stage),
  })
  assert.deepEqual([redeem.status, redeem.body.reason], [400, 'idempotencyKeyTooLong'])
  assert.equal(stage.world.view.seq, seq)
  assert.equal((await mintAs(stage, 'x'.repeat(36))).status, 200)
})
