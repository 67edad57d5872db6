import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../support/broker.ts'
import {
  assertRefused,
  broker,
  heldShares,
  participant,
  postMint,
  REFUSED_WALLET,
  requests,
  type StageResponse,
} from './stage.ts'

const world = await participant()
const live = await liveAccount()
const refusals: readonly (readonly [
  string,
  () => Promise<StageResponse>,
  number,
  number,
  string | RegExp,
])[] = [
  [
    'malformed JSON',
    () => call(world, 'POST', '/v2/tokenization/mint', '{"qty":'),
    400,
    40010000,
    'failed to decode request body',
  ],
  [
    'ten decimal places',
    () => postMint(world, { qty: '0.1234567891' }),
    400,
    40010000,
    'qty must have at most 9 decimal places',
  ],
  [
    'more shares than held',
    () => postMint(world, { qty: '100' }),
    400,
    40010000,
    /^insufficient position quantity for AAPL \(requested: 100, available: /,
  ],
  [
    'a stock without a position',
    () => postMint(world, { underlying_symbol: 'MSFT' }),
    400,
    40010000,
    /^no positions found for account \w+ and symbol MSFT$/,
  ],
  [
    'an account that may not mint',
    () => postMint(live),
    400,
    40010000,
    'account is not supported for tokenization by xstocks',
  ],
  [
    'an issuer the account is not linked to',
    () => postMint(world, { issuer: 'ondo' }),
    400,
    40010000,
    'account is not supported for tokenization by ondo',
  ],
  [
    'a wallet that the issuer refuses',
    () => postMint(world, { wallet_address: REFUSED_WALLET }),
    400,
    40010000,
    'Invalid Wallet: Wallet does not belong to client',
  ],
  [
    'an unknown stock',
    () => postMint(world, { underlying_symbol: 'ZZZZ' }),
    422,
    42210001,
    'ZZZZ is not supported for tokenization by xstocks on ethereum',
  ],
  [
    'no issuer and no network',
    () => postMint(world, { issuer: undefined, network: undefined }),
    422,
    42210001,
    'issuer is required, network is required',
  ],
  [
    'an empty body',
    () => call(world, 'POST', '/v2/tokenization/mint', {}),
    422,
    42210001,
    'underlying_symbol is required, qty is required, issuer is required, network is required, wallet_address is required',
  ],
  ['an unknown issuer', () => postMint(world, { issuer: 'me' }), 422, 42210001, 'invalid issuer'],
  ['an unknown network', () => postMint(world, { network: 'Base' }), 422, 42210001, 'invalid network'],
  ['a quantity of 0', () => postMint(world, { qty: '0' }), 422, 42210001, 'qty must be > 0'],
  ['an invalid quantity', () => postMint(world, { qty: 'many' }), 422, 42210001, 'invalid qty'],
  [
    'a label of 129 characters',
    () => postMint(world, { client_request_id: 'x'.repeat(129) }),
    422,
    42210001,
    'invalid client_request_id',
  ],
  [
    'a label that ends in a space',
    () => postMint(world, { client_request_id: 'x ' }),
    422,
    42210001,
    'invalid client_request_id',
  ],
]

for (const [title, request, status, code, message] of refusals)
  test(`postTokenizationMint, ${title}: ${status}`, async () => {
    const before = [
      await heldShares(world),
      (await requests(world)).filter(({ status }) => status !== 'rejected').length,
    ]
    assertRefused(await request(), status, code, message)
    const after = [
      await heldShares(world),
      (await requests(world)).filter(({ status }) => status !== 'rejected').length,
    ]
    assert.deepEqual(after, before, 'nothing was minted, and no share moved')
  })

/** The live account of the owner may not mint, because the first start links only the paper account. */
async function liveAccount() {
  const { body: main } = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main')
  const { account_id } = main.accounts.find(({ flavour }: Body) => flavour === 'live')
  const { body } = await callAsOperator(broker, 'POST', '/sim/v1/worlds/main/keys', { account_id })
  return { url: broker.url, keyId: body.key_id, secretKey: body.secret_key }
}
