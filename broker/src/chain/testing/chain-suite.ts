import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Quantity, RequestId } from '@quipu/core'
import type { Chain } from '../chain.ts'

const forms: readonly (readonly [network: string, wallet: string, txHash: RegExp])[] = [
  ['ethereum', '0x52908400098527886e0f7030069857d2e4169ee7', /^0x[0-9a-f]{64}$/],
  ['hypercore', '0x52908400098527886e0f7030069857d2e4169ee7', /^0x[0-9a-f]{64}$/],
  ['solana', 'So11111111111111111111111111111111111111112', /^[1-9A-HJ-NP-Za-km-z]{80,88}$/],
  ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', /^[0-9a-f]{64}$/],
  ['ton', 'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF', /^[0-9a-f]{64}$/],
]

/** The tests that every chain passes. */
export function chainSuite(name: string, make: () => Chain): void {
  const chain = make()
  for (const [network, wallet, txHash] of forms) {
    const mintOf = (requestId: string) => ({
      requestId: requestId as RequestId,
      network,
      tokenSymbol: 'AAPLx',
      quantity: 1_500_000_000n as Quantity,
      wallet,
    })
    test(`${name}: a real address of ${network} is valid`, () => {
      assert.deepEqual(chain.validateAddress(network, wallet), { ok: true, value: undefined })
    })
    test(`${name}: a mint on ${network} has a transaction hash in the format of the network`, async () => {
      assert.match((await chain.mint(mintOf('one'))).txHash, txHash)
    })
    test(`${name}: a repeated mint on ${network} has the same hash, another mint another`, async () => {
      const first = await chain.mint(mintOf('one'))
      assert.deepEqual(await chain.mint(mintOf('one')), first)
      assert.notDeepEqual(await chain.mint(mintOf('two')), first)
    })
  }

  for (const [when, network, address, then] of [
    ['an empty text', 'base', '', 'empty'],
    ['a text of 129 characters', 'base', '0'.repeat(129), 'tooLong'],
    ['a space', 'base', '0x12 34', 'notPrintable'],
    ['an unprintable character', 'base', '0x12\n', 'notPrintable'],
    [
      'an address of an unknown network',
      'polygon',
      '0x52908400098527886e0f7030069857d2e4169ee7',
      'networkUnknown',
    ],
    [
      'an address of a network in capitals',
      'Base',
      '0x52908400098527886e0f7030069857d2e4169ee7',
      'networkUnknown',
    ],
  ] as const)
    test(`${name}: ${when} is not an address`, () => {
      assert.deepEqual(chain.validateAddress(network, address), { ok: false, reason: then })
    })

  test(`${name}: a mint on an unknown network fails`, async () => {
    const mint = { requestId: 'r' as RequestId, tokenSymbol: 'x', quantity: 1n as Quantity, wallet: 'w' }
    await assert.rejects(chain.mint({ ...mint, network: 'polygon' }))
  })
}
