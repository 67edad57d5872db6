import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type Body, call } from '../support/broker.ts'
import {
  assertRefused,
  callWithHeaders,
  get,
  heldShares,
  marketBuy,
  mintRequest,
  mintShares,
  participant,
  placeOrder,
  postMint,
  REFUSED_WALLET,
  requests,
} from './stage.ts'

test('rule 1: the same key with an identical body creates one request and gives the same response', async () => {
  const world = await participant()
  const key = randomUUID()
  const first = await postMint(world, { client_request_id: 'once' }, key)
  const second = await postMint(world, { client_request_id: 'once' }, key)
  assert.deepEqual([first.status, second.status], [200, 200])
  assert.deepEqual(second.body, first.body)
  assert.equal(first.headers.get('idempotent-replayed'), null)
  assert.equal(second.headers.get('idempotent-replayed'), 'true')
  assert.equal((await requests(world)).length, 1)
  assert.equal(await heldShares(world), '8.5')
})

test('rule 1: the response stays the same after completion and after later requests', async () => {
  const world = await participant()
  const key = randomUUID()
  const first = await mintShares(world, {}, key)
  for (let more = 0; more < 5; more++) await mintShares(world, { qty: '0.5' })
  await world.advance('23h')
  assert.equal((await requests(world)).at(-1)?.status, 'completed')
  assert.deepEqual(await mintShares(world, {}, key), first)
  assert.equal((await requests(world)).length, 6)
})

test('rule 1: the fields of an identical body may be in another order', async () => {
  const world = await participant()
  const key = randomUUID()
  const first = await mintShares(world, {}, key)
  const reversed = Object.fromEntries(Object.entries(mintRequest).reverse())
  const headers = { 'Idempotency-Key': key }
  const { body } = await call(world, 'POST', '/v2/tokenization/mint', reversed, headers)
  assert.deepEqual(body, first)
})

test('rule 1: twenty concurrent calls create one request', async () => {
  const world = await participant()
  const key = randomUUID()
  const responses = await Promise.all(Array.from({ length: 20 }, () => mintShares(world, {}, key)))
  assert.equal(new Set(responses.map((body) => JSON.stringify(body))).size, 1)
  assert.equal((await requests(world)).length, 1)
  assert.equal(await heldShares(world), '8.5')
})

for (const [title, patch] of [
  ['another quantity', { qty: '1.6' }],
  ['the same quantity in another format', { qty: '1.50' }],
  ['another wallet', { wallet_address: '0x1' }],
  ['another network', { network: 'base' }],
  ['an additional label', { client_request_id: 'more' }],
] as const)
  test(`rule 2: the same key with ${title}: 422, and the first request is unchanged`, async () => {
    const world = await participant()
    const key = randomUUID()
    const first = await mintShares(world, {}, key)
    const message = 'Idempotency-Key was already used with a different body'
    assertRefused(await postMint(world, patch, key), 422, 42210001, message)
    assert.deepEqual(await mintShares(world, {}, key), first)
    assert.equal((await requests(world)).length, 1)
  })

const shared = await participant()
for (const [title, key, status] of [
  ['an empty key', '', 400],
  ['a key of 129 characters', 'k'.repeat(129), 400],
  ['a key with a space', 'two words', 400],
  ['a key with a letter beyond ASCII', 'clé', 400],
  ['a UUID of 36 characters', '0190a5c0-6f5e-7cc3-98c4-dc0c0c07398f', 200],
  ['a key of 128 characters', 'k'.repeat(128), 200],
  ['a key of one character', 'k', 200],
  ['a key with surrounding spaces, which are ignored', '  blank  ', 200],
] as const)
  test(`rule 3, ${title}: ${status}`, async () => {
    const before = (await requests(shared)).length
    const response = await postMint(shared, { qty: '0.1' }, key)
    const message = 'Idempotency-Key must be 1 to 128 printable ASCII characters without spaces'
    if (status === 400) assertRefused(response, 400, 40010000, message)
    else assert.equal(response.status, 200)
    assert.equal((await requests(shared)).length, before + (status === 200 ? 1 : 0))
  })

test('rule 3: two keys at once: 400', async () => {
  const headers = [
    ['APCA-API-KEY-ID', shared.keyId],
    ['APCA-API-SECRET-KEY', shared.secretKey],
    ['Idempotency-Key', 'one'],
    ['Idempotency-Key', 'two'],
  ]
  const body = JSON.stringify({ ...mintRequest, qty: '0.1' })
  assertRefused(await callWithHeaders('POST', '/v2/tokenization/mint', headers as never, body), 400, 40010000)
})

test('rule 4: a request that the issuer rejects is stored as rejected, and a replay of its key is 400', async () => {
  const world = await participant()
  const key = randomUUID()
  const refused = { wallet_address: REFUSED_WALLET, client_request_id: 'refused' }
  const text = 'Invalid Wallet: Wallet does not belong to client'
  assertRefused(await postMint(world, refused, key), 400, 40010000, text)
  const again = 'the request with this Idempotency-Key was rejected; use a new key'
  for (let replays = 0; replays < 2; replays++)
    assertRefused(await postMint(world, refused, key), 400, 40010000, again)
  assertRefused(await postMint(world, { ...refused, qty: '2' }, key), 422, 42210001)
  const [only, ...others] = await requests(world)
  assert.deepEqual([only.status, only.tx_hash, others], ['rejected', null, []])
  assert.equal(await heldShares(world), '10', 'all shares are returned')
  assert.equal((await mintShares(world, { client_request_id: 'refused' }, randomUUID())).status, 'pending')
})

test('rule 5: a refused call does not use up its key, so a corrected retry may use the key', async () => {
  const world = await participant()
  const key = randomUUID()
  assertRefused(await postMint(world, { qty: '100' }, key), 400, 40010000)
  assertRefused(await postMint(world, { network: undefined }, key), 422, 42210001)
  assert.equal((await mintShares(world, {}, key)).status, 'pending')
  assert.equal((await requests(world)).length, 1)
})

test('rule 5: without a key every call creates a request, with the same label or not', async () => {
  const world = await participant()
  const [first, second] = [
    await mintShares(world, { client_request_id: 'twice' }),
    await mintShares(world, { client_request_id: 'twice' }),
  ]
  assert.notEqual(first.tokenization_request_id, second.tokenization_request_id)
  assert.equal(await heldShares(world), '7')
})

test('rule 6: a key belongs to its account; another account may use the same key', async () => {
  const one = await participant({ accounts: 2 })
  const [, second] = one.created.accounts
  const two = { url: one.url, keyId: second.key_id, secretKey: second.secret_key }
  await placeOrder(two, { ...marketBuy, qty: '10' })
  const [first, other] = [await mintShares(one, {}, 'same-key'), await mintShares(two, {}, 'same-key')]
  assert.notEqual(first.tokenization_request_id, other.tokenization_request_id)
  assert.deepEqual([await heldShares(one), await heldShares(two)], ['8.5', '8.5'])
})

// Numbered in the order of creation, a second apart; request 3 was rejected.
const world = await participant()
for (const patch of [
  {},
  { underlying_symbol: 'KO', issuer: 'st0x' },
  { network: 'solana' },
  { wallet_address: REFUSED_WALLET },
  { underlying_symbol: 'KO', network: 'base' },
]) {
  if (patch.wallet_address === REFUSED_WALLET) assert.equal((await postMint(world, patch)).status, 400)
  else await mintShares(world, patch)
  await world.advance('1s')
}
const created: Body[] = (await requests(world)).reverse()
const ids = created.map(({ tokenization_request_id: id }) => id)
const at = (number: number): string => created[number].created_at
/** The time of a request, moved by nanoseconds. */
const near = (number: number, nanos: number): string =>
  at(number).replace(/\.(\d+)Z$/, (_, digits: string) => {
    const moved = String(Number(digits.padEnd(9, '0')) + nanos).padStart(9, '0')
    return `.${moved}Z`
  })
/** The same time with the offset of Kathmandu. */
const inKathmandu = (number: number): string => {
  const [, date, clock, fraction] = /^(.{10})T(.{8})(\.\d+)?Z$/.exec(at(number))!
  const moved = new Date(Date.parse(`${date}T${clock}Z`) + 345 * 60_000).toISOString().slice(0, 19)
  return encodeURIComponent(`${moved}${fraction ?? ''}+05:45`)
}

for (const [title, query, expected] of [
  ['no query: all, newest first', '', [4, 3, 2, 1, 0]],
  ['type mint', 'type=mint', [4, 3, 2, 1, 0]],
  ['type redeem', 'type=redeem', []],
  ['status completed', 'status=completed', [4, 2, 1, 0]],
  ['status rejected', 'status=rejected', [3]],
  ['status pending', 'status=pending', []],
  ['underlying_symbol', 'underlying_symbol=KO', [4, 1]],
  ['underlyingSymbol', 'underlyingSymbol=KO', [4, 1]],
  ['an underlying without requests', 'underlying_symbol=MSFT', []],
  ['issuer', 'issuer=st0x', [1]],
  ['an issuer without requests', 'issuer=ondo', []],
  ['network', 'network=ethereum', [3, 1, 0]],
  ['a network without requests', 'network=ton', []],
  ['several filters at once', 'type=mint&status=completed&underlying_symbol=KO&network=base', [4]],
  ['after a request (excluded)', `after=${at(1)}`, [4, 3, 2]],
  ['after the nanosecond before it', `after=${near(1, -1)}`, [4, 3, 2, 1]],
  ['before a request (excluded)', `before=${at(3)}`, [2, 1, 0]],
  ['before the nanosecond after it', `before=${near(3, 1)}`, [3, 2, 1, 0]],
  ['between two times', `after=${at(0)}&before=${at(4)}`, [3, 2, 1]],
  ['after, with another offset', `after=${inKathmandu(1)}`, [4, 3, 2]],
  ['before, with another offset', `before=${inKathmandu(3)}`, [2, 1, 0]],
  ['an unknown parameter', 'colour=blue', [4, 3, 2, 1, 0]],
] as const)
  test(`getTokenizationRequests, ${title}`, async () => {
    const { status, body } = await get(world, `/v2/tokenization/requests?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      body.map(({ tokenization_request_id: id }: Body) => ids.indexOf(id)),
      expected,
    )
  })

test('times one microsecond apart are distinguished', async () => {
  const fine = await participant()
  const [first, second] = [await mintShares(fine), (await fine.advance('1us')) && (await mintShares(fine))]
  for (const [query, expected] of [
    [`after=${first.created_at}`, [second]],
    [`before=${second.created_at}`, [first]],
  ] as const) {
    const { body } = await get(fine, `/v2/tokenization/requests?${query}`)
    assert.deepEqual(
      body.map(({ tokenization_request_id: id }: Body) => id),
      expected.map(({ tokenization_request_id: id }) => id),
    )
  }
})

test('a list has the current state of each request', async () => {
  for (const request of await requests(world)) {
    const { body } = await get(world, `/v2/tokenization/requests/${request.tokenization_request_id}`)
    assert.deepEqual(body, request)
  }
})

for (const [title, query, message] of [
  ['an unknown type', 'type=burn', 'invalid type'],
  ['an unknown status', 'status=done', 'invalid status'],
  ['an unknown issuer', 'issuer=me', 'invalid issuer'],
  ['an unknown network', 'network=Base', 'invalid network'],
  ['an invalid time', 'after=yesterday', 'failed to parse after'],
  ['a time without an offset', 'before=2026-01-05T15:00:00', 'failed to parse before'],
  ['several errors: all are reported', 'type=burn&after=x', 'invalid type, failed to parse after'],
] as const)
  test(`getTokenizationRequests, ${title}: 422`, async () =>
    assertRefused(await get(world, `/v2/tokenization/requests?${query}`), 422, 42210001, message))
