import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { auditFaults } from '@quipu/core'
import type { Called } from '../testing/server.ts'
import { EXTERNAL_ID, openTokenStage, plainMint, type TokenStage, WALLET } from './testing/issuers.ts'

const stage = await openTokenStage({ after })
const { accountId, otherId, st0x, partnerKey, world, externalIssuer } = stage
const participant = `/v1/accounts/${accountId}/tokenization`
const other = `/v1/accounts/${otherId}/tokenization`
const issuer = `/v1/accounts/${st0x.accountId}/tokenization`
const asPartner = (route: string, body?: unknown, headers = {}) =>
  stage.as(partnerKey, route, { body, headers })
const asIssuer = (route: string, body?: unknown, headers = {}) => stage.as(st0x.key, route, { body, headers })

const newMint = async (patch = {}): Promise<string> => {
  const { status, body } = await stage.mint({ qty: '0.1', ...patch })
  assert.equal(status, 200, JSON.stringify(body))
  await world.commands.quiet()
  return body.tokenization_request_id
}
const callback = (id: string, patch = {}): Promise<Called> =>
  asIssuer(`POST ${issuer}/callback/mint`, { tokenization_request_id: id, tx_hash: '0xabc', ...patch })

const plainRedeem = {
  issuer_request_id: 'never',
  underlying_symbol: 'AAPL',
  token_symbol: 'tAAPL',
  qty: '0.50',
  network: 'base',
  wallet_address: WALLET,
  tx_hash: '0x77',
  client_account_id: accountId,
} as const
const redeem = (patch: object = {}, headers = {}): Promise<Called> =>
  asIssuer(`POST ${issuer}/callback/redeem`, { ...plainRedeem, ...patch }, headers)

const completed = await newMint({ qty: '2' })
assert.equal((await callback(completed)).status, 200)
const waiting = await newMint({ client_request_id: 'waiting' })
externalIssuer.respond = ({ route }) =>
  route === 'POST /confirm' ? { status: 400, body: { error: 'not today' } } : undefined
const rejected = await newMint()
externalIssuer.respond = () => undefined
const redeemed = (await redeem({ issuer_request_id: 'r-0' })).body
await world.commands.quiet()

const without = (body: object, ...fields: string[]) =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)))

/** Asserts a refusal that changes nothing. */
async function assertRefused(
  send: () => Promise<Called>,
  status: number,
  message: string | RegExp,
): Promise<void> {
  const [seq, rows] = [world.view.seq, await rowsOf(stage)]
  const { status: received, body } = await send()
  assert.equal(received, status, JSON.stringify(body))
  const codes: Record<number, number> = { 400: 40010000, 403: 40310000, 404: 40410000, 422: 42210001 }
  assert.equal(body.code, codes[status])
  if (typeof message === 'string') assert.equal(body.message, message)
  else assert.match(body.message, message)
  await world.commands.quiet()
  assert.deepEqual([world.view.seq, await rowsOf(stage)], [seq, rows])
}
const rowsOf = async (made: TokenStage) =>
  (await made.as(made.st0x.key, `GET ${issuer}/requests`)).body.length as number

for (const [when, body, status, message] of [
  [
    'nothing',
    {},
    422,
    /^underlying_symbol is required, qty is required, issuer is required, network is required, wallet_address is required$/,
  ],
  [
    'no issuer and no network',
    without(plainMint, 'issuer', 'network'),
    422,
    'issuer is required, network is required',
  ],
  ['no JSON', '{"qty"', 400, 'failed to decode request body'],
  ['ten decimals', { ...plainMint, qty: '0.0000000001' }, 400, 'qty must have at most 9 decimal places'],
  ['an unknown issuer', { ...plainMint, issuer: 'St0x' }, 422, 'invalid issuer'],
  ['an unknown network', { ...plainMint, network: 'bsc' }, 422, 'invalid network'],
  [
    'a network not listed',
    { ...plainMint, network: 'ton', wallet_address: 'x' },
    422,
    /invalid wallet address|not supported/,
  ],
  ['a share not listed', { ...plainMint, underlying_symbol: 'TSLA' }, 422, /not supported for tokenization/],
  [
    'a share not held',
    { ...plainMint, underlying_symbol: 'MSFT' },
    400,
    /^no positions found for account \S+ and symbol MSFT$/,
  ],
  ['more than available', { ...plainMint, qty: '1000' }, 400, /^insufficient position quantity/],
  [
    'an issuer without a link',
    { ...plainMint, issuer: 'coinbase' },
    400,
    'account is not supported for tokenization by coinbase',
  ],
  ['a malformed address', { ...plainMint, wallet_address: 'a b' }, 422, /invalid wallet address/],
] as const)
  test(`a mint with ${when}: ${status}`, () =>
    assertRefused(() => asPartner(`POST ${participant}/mint`, body), status, message))

for (const [when, body, status, message] of [
  ['nothing', {}, 422, 'tokenization_request_id is required, tx_hash is required'],
  ['no JSON', 'tx', 400, 'failed to decode request body'],
  [
    'a malformed id',
    { tokenization_request_id: '7', tx_hash: '0x1' },
    422,
    'invalid tokenization_request_id',
  ],
  [
    'an unknown id',
    { tokenization_request_id: '00000000-0000-4000-8000-000000000000', tx_hash: '0x1' },
    404,
    'tokenization request not found',
  ],
  [
    'the id of a redeem',
    { tokenization_request_id: redeemed.tokenization_request_id, tx_hash: '0x1' },
    404,
    'tokenization request not found',
  ],
  [
    'another participant',
    { tokenization_request_id: waiting, tx_hash: '0x1', client_account_id: otherId },
    422,
    /participant differs/,
  ],
  [
    'another id of the participant',
    { tokenization_request_id: waiting, tx_hash: '0x1', client_id: 'x' },
    422,
    /participant differs/,
  ],
  [
    'two names of the participant',
    { tokenization_request_id: waiting, tx_hash: '0x1', client_id: 'x', client_account_id: accountId },
    422,
    /only one of/,
  ],
  [
    'another wallet',
    { tokenization_request_id: waiting, tx_hash: '0x1', wallet_address: '0x1' },
    422,
    /wallet_address differs/,
  ],
  [
    'another network',
    { tokenization_request_id: waiting, tx_hash: '0x1', network: 'ethereum' },
    422,
    /network differs/,
  ],
  [
    'another hash, once completed',
    { tokenization_request_id: completed, tx_hash: '0x1' },
    400,
    'the request is completed: it has another tx_hash',
  ],
  [
    'a hash, once rejected',
    { tokenization_request_id: rejected, tx_hash: '0x1' },
    400,
    'the request is rejected: it cannot be completed',
  ],
] as const)
  test(`a callback with ${when}: ${status}`, () =>
    assertRefused(() => asIssuer(`POST ${issuer}/callback/mint`, body), status, message))

for (const [when, body, status, message] of [
  [
    'nothing',
    {},
    422,
    /^issuer_request_id is required, underlying_symbol is required, token_symbol is required, qty is required, network is required, wallet_address is required, tx_hash is required$/,
  ],
  [
    'no id and no hash',
    without(plainRedeem, 'issuer_request_id', 'tx_hash'),
    422,
    'issuer_request_id is required, tx_hash is required',
  ],
  ['no JSON', '[', 400, 'failed to decode request body'],
  ['ten decimals', { ...plainRedeem, qty: '0.0000000001' }, 400, 'qty must have at most 9 decimal places'],
  [
    'no participant',
    without(plainRedeem, 'client_account_id'),
    422,
    /client_external_account_id or client_account_id is required/,
  ],
  [
    'two names of the participant',
    { ...plainRedeem, client_external_account_id: EXTERNAL_ID },
    422,
    /only one of/,
  ],
  [
    'both spellings of the participant with different ids',
    without({ ...plainRedeem, client_id: 'x', client_external_account_id: 'y' }, 'client_account_id'),
    422,
    /must be the same/,
  ],
  [
    'an unknown participant',
    without({ ...plainRedeem, client_id: 'x' }, 'client_account_id'),
    400,
    /not supported for tokenization by st0x/,
  ],
  ['another token', { ...plainRedeem, token_symbol: 'AAPLx' }, 422, /not supported for tokenization/],
  ['a network without tokens', { ...plainRedeem, network: 'solana' }, 400, /^insufficient quantity/],
  ['more than available', { ...plainRedeem, qty: '500' }, 400, /^insufficient quantity/],
  [
    'an id that was used',
    { ...plainRedeem, issuer_request_id: 'r-0' },
    422,
    'issuer request id has already been used',
  ],
] as const)
  for (const path of ['callback/redeem', 'redeem'])
    test(`a redeem at ${path} with ${when}: ${status}`, () =>
      assertRefused(() => asIssuer(`POST ${issuer}/${path}`, body), status, message))

for (const [route, status, message] of [
  [`GET ${participant}/requests/7`, 422, 'tokenization_request_id must be a valid UUID'],
  [`GET ${participant}/requests/00000000-0000-4000-8000-000000000000`, 404, 'tokenization request not found'],
  [`GET ${other}/requests/${waiting}`, 404, 'tokenization request not found'],
  [`GET ${participant}/requests?after=yesterday`, 422, 'failed to parse after'],
  [`GET ${participant}/requests?before=7&after=8`, 422, 'failed to parse after, failed to parse before'],
  [`GET ${participant}/requests?status=confirmed`, 422, 'invalid status'],
  [
    `GET ${participant}/requests?type=burn&issuer=a%2Fb&network=y`,
    422,
    'invalid type, invalid issuer, invalid network',
  ],
  [`GET ${participant}/requests:by_client_request_id`, 422, 'client_request_id query parameter is required'],
  [
    `GET ${participant}/requests:by_client_request_id?client_request_id=`,
    422,
    'client_request_id query parameter is required',
  ],
  [
    `GET ${participant}/requests:by_client_request_id?client_request_id=x`,
    404,
    'tokenization request not found',
  ],
] as const)
  test(`${route.replaceAll(/[0-9a-f-]{36}/g, '{id}')}: ${status}`, () =>
    assertRefused(() => asPartner(route), status, message))

for (const [query, status, message] of [
  ['', 422, 'issuer_request_id query parameter is required'],
  ['?issuer_request_id=', 422, 'issuer_request_id query parameter is required'],
  ['?issuer_request_id=x', 404, 'tokenization request not found'],
] as const)
  test(`by_issuer_request_id${query}: ${status}`, () =>
    assertRefused(() => asIssuer(`GET ${issuer}/requests:by_issuer_request_id${query}`), status, message))

test('the colon in a path may be raw or encoded', async () => {
  for (const colon of [':', '%3A']) {
    const route = `GET ${participant}/requests${colon}by_client_request_id?client_request_id=waiting`
    assert.equal((await asPartner(route)).body.tokenization_request_id, waiting)
  }
  const unknown = await asPartner(`GET ${participant}/requests:by_something`)
  assert.equal(unknown.status, 404)
})

test('the ledger is consistent after all requests', () => assert.deepEqual(auditFaults(world.view), []))
