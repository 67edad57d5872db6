import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buy, decided } from '@quipu/broker/world/testing/world.ts'
import { auditFaults } from '@quipu/core'
import { EXTERNAL_ID, openTokenStage, plainMint, WALLET } from './testing/issuers.ts'
import { callback, path, requestsOf } from './testing/two-sides.ts'

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
