import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, callAsOperator } from '../support/broker.ts'
import {
  assertRefused,
  broker,
  callWithHeaders,
  get,
  heldShares,
  marketBuy,
  mintRequest,
  mintShares,
  participant,
  placeOrder,
  postMint,
  postOrder,
  requests,
  restingBuy,
  UNKNOWN_ID,
  UUID,
  WALLET,
} from './stage.ts'

const world = await participant({ accounts: 2 })
const [, second] = world.created.accounts
const other = { url: world.url, keyId: second.key_id, secretKey: second.secret_key }
const byId = (id: string, caller = world) => get(caller, `/v2/tokenization/requests/${id}`)
const byLabel = (label: string, caller: typeof other = world) =>
  get(caller, `/v2/tokenization/requests:by_client_request_id?client_request_id=${encodeURIComponent(label)}`)

test('postTokenizationMint: 200 with a pending request', async () => {
  const body = await mintShares(world, { client_request_id: 'first' })
  const { tokenization_request_id: id, created_at, ...rest } = body
  assert.match(id, UUID)
  assert.match(created_at, /^2026-01-05T15:00:00\.\d{1,9}Z$/)
  assert.deepEqual(rest, {
    type: 'mint',
    status: 'pending',
    underlying_symbol: 'AAPL',
    token_symbol: 'AAPLx',
    qty: '1.5',
    issuer: 'xstocks',
    network: 'ethereum',
    wallet_address: WALLET,
    client_request_id: 'first',
  })
})

test('getTokenizationRequest: 200 with the completed request', async () => {
  const first = await mintShares(world, { network: 'solana', issuer: 'st0x', client_request_id: 'again' })
  const { status, body } = await byId(first.tokenization_request_id)
  assert.equal(status, 200)
  const { updated_at, tx_hash, ...rest } = body
  assert.deepEqual(rest, { ...first, status: 'completed', token_symbol: 'tAAPL', fees: '0' })
  assert.match(tx_hash, /^[1-9A-HJ-NP-Za-km-z]{80,90}$/)
  assert.notEqual(updated_at, first.created_at)
  assert.deepEqual((await byId(first.tokenization_request_id.toUpperCase())).body, body)
})

for (const [title, patch] of [
  ['it was omitted', {}],
  ['it was empty', { client_request_id: '' }],
  ['it was null', { client_request_id: null }],
] as const)
  test(`client_request_id is optional, and absent when ${title}`, async () => {
    const body = await mintShares(world, { qty: '0.1', ...patch })
    assert.ok(!('client_request_id' in body))
    assert.ok(!('client_request_id' in (await byId(body.tokenization_request_id)).body))
  })

test('getTokenizationRequestByClientRequestID: 200 with the newest request of a reused id', async () => {
  const older = await mintShares(world, { client_request_id: 'a label, +&', qty: '0.1' })
  assert.equal((await byLabel('a label, +&')).body.tokenization_request_id, older.tokenization_request_id)
  const newer = await mintShares(world, { client_request_id: 'a label, +&', qty: '0.2' })
  const { status, body } = await byLabel('a label, +&')
  assert.deepEqual([status, body.tokenization_request_id], [200, newer.tokenization_request_id])
})

test('a mint removes the shares from the account in balanced postings, so they cannot be sold', async () => {
  const fresh = await participant()
  await mintShares(fresh, { qty: '4' })
  assert.equal(await heldShares(fresh), '6')
  const sale = await postOrder(fresh, { ...marketBuy, side: 'sell', qty: '7' })
  assertRefused(sale, 403, 40310000, /available: 6/)
  const { body: audit } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${fresh.world}/audit`)
  assert.deepEqual([audit.sound, audit.problems], [true, []])
})

test('shares of an open sell order cannot be minted until it is canceled', async () => {
  const fresh = await participant()
  const { id } = await placeOrder(fresh, { ...restingBuy, side: 'sell', qty: '9', limit_price: '900' })
  const refused = await postMint(fresh, { qty: '2' })
  assertRefused(refused, 400, 40010000, /available: 1\)$/)
  await call(fresh, 'DELETE', `/v2/orders/${id}`)
  await mintShares(fresh, { qty: '2' })
})

test('of two concurrent mints of the same shares one is refused', async () => {
  const fresh = await participant()
  const responses = await Promise.all([postMint(fresh, { qty: '6' }), postMint(fresh, { qty: '6' })])
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 400])
  assert.equal(await heldShares(fresh), '4')
})

test('a quantity may be a number, and unknown fields are ignored', async () => {
  const body = await mintShares(world, { qty: 0.25, issuer_request_id: 'mine' })
  assert.deepEqual([body.qty, 'issuer_request_id' in body], ['0.25', false])
})

const id = (await requests(world))[0].tokenization_request_id
const label = 'client_request_id=first'
const operations = [
  ['postTokenizationMint', 'POST', '/v2/tokenization/mint'],
  ['getTokenizationRequests', 'GET', '/v2/tokenization/requests'],
  ['getTokenizationRequest', 'GET', `/v2/tokenization/requests/${id}`],
  [
    'getTokenizationRequestByClientRequestID',
    'GET',
    `/v2/tokenization/requests:by_client_request_id?${label}`,
  ],
] as const

for (const [name, method, path] of operations) {
  const body = method === 'POST' ? mintRequest : undefined
  test(`${name} without credentials: 401`, async () =>
    assertRefused(
      await callWithHeaders(method, path, {}, body && JSON.stringify(body)),
      401,
      40110000,
      'unauthorized',
    ))
  test(`${name} with a wrong secret: 401`, async () =>
    assertRefused(
      await call({ ...world, secretKey: 'wrong' }, method, path, body),
      401,
      40110000,
      'unauthorized',
    ))
  test(`${name} as a partner: 403`, async () =>
    assertRefused(await call(world.partner, method, path, body), 403, 40310000, 'forbidden'))
}

for (const [title, path, status, code, message] of [
  ['an unknown id', `/${UNKNOWN_ID}`, 404, 40410000, 'tokenization request not found'],
  ['an id that is not a UUID', '/17', 422, 42210001, 'tokenization_request_id must be a valid UUID'],
  [
    'an unknown label',
    ':by_client_request_id?client_request_id=none',
    404,
    40410000,
    'tokenization request not found',
  ],
  ['no label', ':by_client_request_id', 422, 42210001, 'client_request_id query parameter is required'],
  [
    'an empty label',
    ':by_client_request_id?client_request_id=',
    422,
    42210001,
    'client_request_id query parameter is required',
  ],
] as const)
  test(`a look-up by ${title}: ${status}`, async () =>
    assertRefused(await get(world, `/v2/tokenization/requests${path}`), status, code, message))

test('a request of another account: 404', async () => {
  assertRefused(await get(other, `/v2/tokenization/requests/${id}`), 404, 40410000)
  assertRefused(await byLabel('first', other), 404, 40410000)
  assert.deepEqual(await requests(other), [])
})
