import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buy, decided } from '@quipu/broker/world/testing/world.ts'
import { auditFaults } from '@quipu/core'
import type { Called } from '../testing/server.ts'
import { EXTERNAL_ID, openTokenStage, plainMint, type TokenStage, WALLET } from './testing/issuers.ts'

const path = (accountId: string, rest: string) => `/v1/accounts/${accountId}/tokenization/${rest}`
const requestsOf = async (stage: TokenStage, query = '') =>
  (await stage.as(stage.partnerKey, `GET ${path(stage.accountId, `requests${query}`)}`)).body
const idempotent = (stage: TokenStage, key: string) => ({
  key: stage.partnerKey,
  headers: { 'idempotency-key': key },
  body: plainMint,
})
const mintAs = (stage: TokenStage, key: string, patch = {}) =>
  stage.mint({}, { ...idempotent(stage, key), body: { ...plainMint, ...patch } })
const callback = (stage: TokenStage, id: string, patch = {}): Promise<Called> =>
  stage.as(stage.st0x.key, `POST ${path(stage.st0x.accountId, 'callback/mint')}`, {
    body: { tokenization_request_id: id, tx_hash: '0xabc', ...patch },
  })
const redeemBody = (stage: TokenStage, patch = {}) => ({
  issuer_request_id: '0x77',
  underlying_symbol: 'AAPL',
  token_symbol: 'tAAPL',
  qty: '1.50',
  network: 'base',
  wallet_address: WALLET,
  tx_hash: '0x77',
  client_account_id: stage.accountId,
  ...patch,
})

test('participant and issuer read the same mint with their own fields until the callback completes it', async (t) => {
  const stage = await openTokenStage(t)
  const { accountId, st0x, partnerKey, externalIssuer, world } = stage
  const { body: first } = await stage.mint({ client_request_id: 'my label' })
  const { tokenization_request_id: id, ...rest } = first
  assert.deepEqual(without(rest, 'created_at'), {
    ...plainMint,
    type: 'mint',
    status: 'pending',
    token_symbol: 'tAAPL',
    client_request_id: 'my label',
  })
  await world.commands.quiet()
  assert.equal(stage.sharesOf(), 8_500_000_000n)
  assert.equal(stage.sharesOf(st0x.accountId), 1_500_000_000n)

  const [mint, confirm] = externalIssuer.requests.slice(-2)
  assert.deepEqual(mint!.body, {
    tokenization_request_id: id,
    qty: '1.50',
    underlying_symbol: 'AAPL',
    token_symbol: 'tAAPL',
    network: 'base',
    client_account_id: accountId,
    wallet_address: WALLET,
  })
  const issuerFields = { issuer_request_id: `iss-${id}`, client_account_id: accountId }
  assert.deepEqual(confirm!.body, {
    tokenization_request_id: id,
    ...issuerFields,
    status: 'completed',
    client_request_id: 'my label',
  })
  assert.deepEqual([mint!.headers['x-api-key'], confirm!.headers['x-api-key']], ['the key', 'the key'])

  const participantView = (await stage.as(partnerKey, `GET ${path(accountId, `requests/${id}`)}`)).body
  const issuerView = (await stage.as(st0x.key, `GET ${path(st0x.accountId, `requests/${id}`)}`)).body
  assert.deepEqual(
    [participantView.status, participantView.tx_hash, participantView.fees],
    ['pending', null, null],
  )
  assert.ok(!('issuer_request_id' in participantView) && !('client_account_id' in participantView))
  assert.deepEqual(issuerView, { ...participantView, ...issuerFields })
  const byId = `requests:by_issuer_request_id?issuer_request_id=iss-${id}`
  assert.deepEqual((await stage.as(st0x.key, `GET ${path(st0x.accountId, byId)}`)).body, issuerView)
  const byLabel = path(accountId, 'requests:by_client_request_id?client_request_id=my%20label')
  assert.deepEqual((await stage.as(st0x.key, `GET ${byLabel}`)).body, issuerView)
  assert.deepEqual((await stage.as(partnerKey, `GET ${byLabel}`)).body, participantView)

  const done = await callback(stage, id, {
    client_account_id: accountId,
    wallet_address: WALLET.toUpperCase().replace('0X', '0x'),
    network: 'base',
  })
  assert.deepEqual([done.status, done.body.status, done.body.tx_hash], [200, 'completed', '0xabc'])
  assert.deepEqual((await callback(stage, id)).body, done.body)
  const [record] = await requestsOf(stage)
  assert.deepEqual([record.status, record.tx_hash, record.fees], ['completed', '0xabc', '0'])
  assert.deepEqual(auditFaults(world.view), [])
})

const without = (body: object, field: string) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field))

test('a participant with an external id is named only by it, and its label is not sent to the issuer', async (t) => {
  const stage = await openTokenStage(t)
  const { otherId, st0x, partnerKey, externalIssuer } = stage
  const route = `POST ${path(otherId, 'mint')}`
  const made = await stage.as(partnerKey, route, { body: { ...plainMint, client_request_id: 'secret' } })
  await stage.world.commands.quiet()
  const id = made.body.tokenization_request_id
  for (const { body } of externalIssuer.requests.slice(-2)) {
    assert.equal(body.client_external_account_id, EXTERNAL_ID)
    assert.ok(!('client_account_id' in body) && !('client_request_id' in body))
  }
  const byLabel = path(otherId, 'requests:by_client_request_id?client_request_id=secret')
  assert.equal((await stage.as(st0x.key, `GET ${byLabel}`)).status, 403)
  const { body } = await callback(stage, id, { client_id: EXTERNAL_ID })
  assert.deepEqual([body.status, body.client_external_account_id], ['completed', EXTERNAL_ID])
  assert.ok(!('client_account_id' in body))
})

test('an issuer finds by label the newest of its own requests', async (t) => {
  const stage = await openTokenStage(t)
  const { accountId, st0x, ondo, partnerKey } = stage
  const ids = []
  for (const issuer of ['st0x', 'st0x', 'ondo'])
    ids.push((await stage.mint({ issuer, qty: '1', client_request_id: 'l' })).body.tokenization_request_id)
  const route = `GET ${path(accountId, 'requests:by_client_request_id?client_request_id=l')}`
  for (const [key, id] of [
    [st0x.key, ids[1]],
    [ondo.key, ids[2]],
    [partnerKey, ids[2]],
  ] as const)
    assert.equal((await stage.as(key, route)).body.tokenization_request_id, id)
})

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

test('the last shares are minted once, and shares of an open sell order cannot be minted', async (t) => {
  const stage = await openTokenStage(t)
  const { world, accountId } = stage
  const results = await Promise.all(['6', '6'].map((qty) => stage.mint({ qty })))
  assert.deepEqual(results.map(({ status }) => status).sort(), [200, 400])
  await world.commands.quiet()
  const order = buy(world.view.accounts.get(accountId)!, 'AAPL', '3', '900000')
  assert.ok((await decided(world, { ...order, side: 'sell' })).ok)
  const { seq } = world.view
  const { status, body } = await stage.mint({ qty: '2' })
  assert.deepEqual([status, body.code, body.available], [400, 40010000, '1'])
  assert.match(body.message, /insufficient position/)
  assert.equal(world.view.seq, seq)
  assert.equal((await stage.mint({ qty: '1' })).status, 200)
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

test('a list has all requests, newest first; limit and before give pages', async (t) => {
  const stage = await openTokenStage(t)
  const ids: string[] = []
  for (let made = 0; made < 5; made++)
    ids.unshift((await stage.mint({ qty: '1' })).body.tokenization_request_id)
  const idsOf = (list: readonly { tokenization_request_id: string }[]) =>
    list.map(({ tokenization_request_id: id }) => id)
  assert.deepEqual(idsOf(await requestsOf(stage)), ids)
  const paged: string[] = []
  for (let before = ''; paged.length < 5; ) {
    const page = await requestsOf(stage, `?limit=2${before}`)
    assert.ok(page.length > 0 && page.length <= 2)
    paged.push(...idsOf(page))
    before = `&before=${page.at(-1).created_at}`
  }
  assert.deepEqual(paged, ids)
  for (const [query, status] of [
    ['?limit=0', 422],
    ['?limit=10001', 422],
    ['?limit=x', 422],
  ] as const)
    assert.equal(
      (await stage.as(stage.partnerKey, `GET ${path(stage.accountId, `requests${query}`)}`)).status,
      status,
    )
})

test('a callback of another issuer is forbidden also after the request left memory', async (t) => {
  const stage = await openTokenStage(t)
  const { ondo, world } = stage
  const { tokenization_request_id: id } = (await stage.mint({ qty: '1' })).body
  await world.commands.quiet()
  assert.equal((await callback(stage, id)).status, 200)
  await stage.mint({ qty: '1' })
  await world.commands.quiet()
  assert.ok(!world.view.requests.has(id))
  const route = `POST ${path(ondo.accountId, 'callback/mint')}`
  const body = { tokenization_request_id: id, tx_hash: '0xabc' }
  assert.equal((await stage.as(ondo.key, route, { body })).status, 403)
  assert.equal((await callback(stage, id)).status, 200, 'the issuer of the request gets the same response')
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
