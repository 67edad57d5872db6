import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../broker.ts'
import { held, mint, minted, mintRequest, NOBODYS_WALLET, participant, requests, WALLET } from './minting.ts'
import {
  type Answer,
  assertRefused,
  bare,
  broker,
  get,
  marketBuy,
  NOBODY,
  place,
  placed,
  restingBuy,
  UUID,
} from './stage.ts'

const own = await participant({ accounts: 2 })
const [, second] = own.created.accounts
const other = { url: own.url, keyId: second.key_id, secretKey: second.secret_key }
const byId = (id: string, who = own) => get(who, `/v2/tokenization/requests/${id}`)
const byLabel = (label: string, who: typeof other = own) =>
  get(who, `/v2/tokenization/requests:by_client_request_id?client_request_id=${encodeURIComponent(label)}`)

test('postTokenizationMint: 200, minting was requested', async () => {
  const body = await minted(own, { client_request_id: 'first' })
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

test('getTokenizationRequest: 200 with the request, which the issuer and the chain have completed', async () => {
  const first = await minted(own, { network: 'solana', issuer: 'st0x', client_request_id: 'again' })
  const { status, body } = await byId(first.tokenization_request_id)
  assert.equal(status, 200)
  const { updated_at, tx_hash, ...rest } = body
  assert.deepEqual(rest, { ...first, status: 'completed', token_symbol: 'tAAPL', fees: '0' })
  assert.match(tx_hash, /^[1-9A-HJ-NP-Za-km-z]{80,90}$/)
  assert.notEqual(updated_at, first.created_at)
  assert.deepEqual((await byId(first.tokenization_request_id.toUpperCase())).body, body)
})

for (const [given, patch] of [
  ['none was given', {}],
  ['an empty one was given', { client_request_id: '' }],
  ['null was given', { client_request_id: null }],
] as const)
  test(`a label is optional, and absent where ${given}`, async () => {
    const body = await minted(own, { qty: '0.1', ...patch })
    assert.ok(!('client_request_id' in body))
    assert.ok(!('client_request_id' in (await byId(body.tokenization_request_id)).body))
  })

test('getTokenizationRequestByClientRequestID: 200, the most recently created where the label was reused', async () => {
  const older = await minted(own, { client_request_id: 'a label, +&', qty: '0.1' })
  assert.equal((await byLabel('a label, +&')).body.tokenization_request_id, older.tokenization_request_id)
  const newer = await minted(own, { client_request_id: 'a label, +&', qty: '0.2' })
  const { status, body } = await byLabel('a label, +&')
  assert.deepEqual([status, body.tokenization_request_id], [200, newer.tokenization_request_id])
})

test('the shares leave the account with the mint, in balanced postings, and cannot be sold any more', async () => {
  const fresh = await participant()
  await minted(fresh, { qty: '4' })
  assert.equal(await held(fresh), '6')
  const sale = await place(fresh, { ...marketBuy, side: 'sell', qty: '7' })
  assertRefused(sale, 403, 40310000, /available: 6/)
  const { body: audit } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${fresh.world}/audit`)
  assert.deepEqual([audit.sound, audit.problems], [true, []])
})

const live = await liveAccount()
const refusals: readonly (readonly [string, () => Promise<Answer>, number, number, string | RegExp])[] = [
  [
    'half a JSON',
    () => call(own, 'POST', '/v2/tokenization/mint', '{"qty":'),
    400,
    40010000,
    'failed to decode request body',
  ],
  [
    'ten decimal places',
    () => mint(own, { qty: '0.1234567891' }),
    400,
    40010000,
    'qty must have at most 9 decimal places',
  ],
  [
    'more than is held',
    () => mint(own, { qty: '100' }),
    400,
    40010000,
    /^insufficient position quantity for AAPL \(requested: 100, available: /,
  ],
  [
    'a share that is not held',
    () => mint(own, { underlying_symbol: 'MSFT' }),
    400,
    40010000,
    /^no positions found for account \w+ and symbol MSFT$/,
  ],
  [
    'an account that may not mint',
    () => mint(live),
    400,
    40010000,
    'account is not supported for tokenization by xstocks',
  ],
  [
    'an issuer the account is not linked to',
    () => mint(own, { issuer: 'ondo' }),
    400,
    40010000,
    'account is not supported for tokenization by ondo',
  ],
  [
    "nobody's wallet, which the issuer refuses",
    () => mint(own, { wallet_address: NOBODYS_WALLET }),
    400,
    40010000,
    'Invalid Wallet: Wallet does not belong to client',
  ],
  [
    'a share nobody lists',
    () => mint(own, { underlying_symbol: 'ZZZZ' }),
    422,
    42210001,
    'ZZZZ is not supported for tokenization by xstocks on ethereum',
  ],
  [
    'no issuer and no network',
    () => mint(own, { issuer: undefined, network: undefined }),
    422,
    42210001,
    'issuer is required, network is required',
  ],
  [
    'nothing at all',
    () => call(own, 'POST', '/v2/tokenization/mint', {}),
    422,
    42210001,
    'underlying_symbol is required, qty is required, issuer is required, network is required, wallet_address is required',
  ],
  ['an issuer nobody knows', () => mint(own, { issuer: 'me' }), 422, 42210001, 'invalid issuer'],
  ['a network nobody knows', () => mint(own, { network: 'Base' }), 422, 42210001, 'invalid network'],
  ['a quantity of nothing', () => mint(own, { qty: '0' }), 422, 42210001, 'qty must be > 0'],
  ['a quantity that is none', () => mint(own, { qty: 'many' }), 422, 42210001, 'invalid qty'],
  [
    'a label of 129 characters',
    () => mint(own, { client_request_id: 'x'.repeat(129) }),
    422,
    42210001,
    'invalid client_request_id',
  ],
  [
    'a label that ends in a space',
    () => mint(own, { client_request_id: 'x ' }),
    422,
    42210001,
    'invalid client_request_id',
  ],
]

for (const [given, ask, status, code, message] of refusals)
  test(`postTokenizationMint, ${given}: ${status}`, async () => {
    const before = [
      await held(own),
      (await requests(own)).filter(({ status }) => status !== 'rejected').length,
    ]
    assertRefused(await ask(), status, code, message)
    const after = [
      await held(own),
      (await requests(own)).filter(({ status }) => status !== 'rejected').length,
    ]
    assert.deepEqual(after, before, 'nothing was minted, and no share moved')
  })

test('shares in an open sell order cannot be minted; canceled, they can', async () => {
  const fresh = await participant()
  const { id } = await placed(fresh, { ...restingBuy, side: 'sell', qty: '9', limit_price: '900' })
  const refused = await mint(fresh, { qty: '2' })
  assertRefused(refused, 400, 40010000, /available: 1\)$/)
  await call(fresh, 'DELETE', `/v2/orders/${id}`)
  await minted(fresh, { qty: '2' })
})

test('two mints that race for the same shares: one is taken, the other refused', async () => {
  const fresh = await participant()
  const answers = await Promise.all([mint(fresh, { qty: '6' }), mint(fresh, { qty: '6' })])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
  assert.equal(await held(fresh), '4')
})

test('a quantity may be a number, and fields nobody knows are ignored', async () => {
  const body = await minted(own, { qty: 0.25, issuer_request_id: 'mine' })
  assert.deepEqual([body.qty, 'issuer_request_id' in body], ['0.25', false])
})

const id = (await requests(own))[0].tokenization_request_id
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
    assertRefused(await bare(method, path, {}, body && JSON.stringify(body)), 401, 40110000, 'unauthorized'))
  test(`${name} with a wrong secret: 401`, async () =>
    assertRefused(
      await call({ ...own, secretKey: 'wrong' }, method, path, body),
      401,
      40110000,
      'unauthorized',
    ))
  test(`${name} as a partner, who is no participant: 403`, async () =>
    assertRefused(await call(own.partner, method, path, body), 403, 40310000, 'forbidden'))
}

for (const [given, path, status, code, message] of [
  ['an id nobody has', `/${NOBODY}`, 404, 40410000, 'tokenization request not found'],
  ['an id that is no UUID', '/17', 422, 42210001, 'tokenization_request_id must be a valid UUID'],
  [
    'a label nobody gave',
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
  test(`a look-up by ${given}: ${status}`, async () =>
    assertRefused(await get(own, `/v2/tokenization/requests${path}`), status, code, message))

test("another account's request is as good as none: 404", async () => {
  assertRefused(await get(other, `/v2/tokenization/requests/${id}`), 404, 40410000)
  assertRefused(await byLabel('first', other), 404, 40410000)
  assert.deepEqual(await requests(other), [])
})

/** The owner's live account is no participant; the first start links the paper one alone. */
async function liveAccount() {
  const { body: main } = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main')
  const { account_id } = main.accounts.find(({ flavour }: Body) => flavour === 'live')
  const { body } = await callAsOperator(broker, 'POST', '/sim/v1/worlds/main/keys', { account_id })
  return { url: broker.url, keyId: body.key_id, secretKey: body.secret_key }
}
