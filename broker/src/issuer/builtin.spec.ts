import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type IssuerCode, type Ticker, TOKENIZED } from '@quipu/core'
import { networks } from '../chain/networks.ts'
import { simulatedChain } from '../chain/simulated.ts'
import { builtinIssuer, builtinIssuers, burnAddresses } from './builtin.ts'
import type { MintRequest } from './issuer.ts'
import { issuerSuite, mintRequest } from './testing/issuer-suite.ts'

const make = () => builtinIssuer(simulatedChain())
issuerSuite('built-in', make)

const noToken = 'Invalid Token: Token not available on the network'
for (const [when, patch, then] of [
  ['the request is valid', {}, undefined],
  ['st0x mints its own token', { issuer: 'st0x', tokenSymbol: 'tAAPL' }, undefined],
  ['st0x mints a token of xstocks', { issuer: 'st0x' }, noToken],
  ['the issuer is unknown', { issuer: 'ondo' }, noToken],
  ['the share is not listed', { underlying: 'ZZZZ', tokenSymbol: 'ZZZZx' }, noToken],
  ['the network is not listed', { network: 'polygon' }, noToken],
  ['the wallet cannot exist', { wallet: 'a wallet' }, 'Failed Validation: Invalid data payload'],
  ...burnAddresses.map(
    (wallet) =>
      ['the wallet has no owner', { wallet }, 'Invalid Wallet: Wallet does not belong to client'] as const,
  ),
] as readonly (readonly [string, { readonly [Field in keyof MintRequest]?: string }, string | undefined])[])
  test(`the built-in issuer when ${when}: ${then ?? 'accepts'}`, async () => {
    const response = await make().mint({ ...mintRequest, ...patch } as MintRequest)
    assert.equal(response.ok ? undefined : response.reason, then)
  })

test('request ids are UUIDs, because participants expect them', async () => {
  const response = await make().mint(mintRequest)
  assert.match(
    response.ok ? response.issuerRequestId : '',
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  )
})

test('well-known shares are listed on every network, as AAPLx and tAAPL', () => {
  assert.deepEqual(
    builtinIssuers.map(({ code }) => code),
    ['xstocks', 'st0x'] as unknown as IssuerCode[],
  )
  for (const { listings } of builtinIssuers) {
    assert.deepEqual(
      listings.map(({ underlying }) => underlying),
      [...TOKENIZED],
    )
    assert.ok(listings.every((listing) => listing.networks === networks))
  }
  const symbols = builtinIssuers.map(
    ({ listings }) => listings.find(({ underlying }) => underlying === ('AAPL' as Ticker))?.tokenSymbol,
  )
  assert.deepEqual(symbols, ['AAPLx', 'tAAPL'])
})
