import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, parseInput } from '@quipu/contract'
import { base58 } from '@scure/base'
import { networks } from './networks.ts'
import { simulatedChain } from './simulated.ts'
import { chainSuite } from './testing/chain-suite.ts'

chainSuite('simulated, lenient', () => simulatedChain())
chainSuite('simulated, strict', () => simulatedChain({ addresses: 'strict' }))

const strict = simulatedChain({ addresses: 'strict' })
for (const [when, network, address, then] of [
  ['all in lower case', 'base', '0x52908400098527886e0f7030069857d2e4169ee7', 'ok'],
  ['all in upper case', 'base', '0x52908400098527886E0F7030069857D2E4169EE7', 'ok'],
  ['in mixed case', 'base', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'ok'],
  [
    'in mixed case, one letter changed',
    'base',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
    'wrongChecksum',
  ],
  ['without 0x', 'base', '52908400098527886e0f7030069857d2e4169ee7', 'wrongForm'],
  ['a digit short', 'base', '0x52908400098527886e0f7030069857d2e4169ee', 'wrongForm'],
  ['without an owner', 'base', `0x${'0'.repeat(40)}`, 'withoutOwner'],
  ['of another network', 'base', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'wrongForm'],
  [
    'with a letter that base58 does not have',
    'solana',
    'So1111111111111111111111111111111111111111O',
    'wrongForm',
  ],
  ['of 34 bytes', 'solana', base58.encode(Buffer.alloc(34, 7)), 'wrongForm'],
  ['without an owner', 'solana', '1'.repeat(32), 'withoutOwner'],
  ['of 31 ones', 'solana', '1'.repeat(31), 'wrongForm'],
  ['with one letter changed', 'tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u', 'wrongChecksum'],
  ['with another prefix', 'tron', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'wrongForm'],
  ['in the non-bounceable form', 'ton', 'UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA', 'ok'],
  ['with the plain alphabet', 'ton', 'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff+W72r5gqPrHF', 'ok'],
  ['raw', 'ton', '0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e', 'ok'],
  ['raw, of the master chain', 'ton', `-1:${'5'.repeat(64)}`, 'ok'],
  ['raw, a digit short', 'ton', `0:${'5'.repeat(63)}`, 'wrongForm'],
  ['with one letter changed', 'ton', 'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHG', 'wrongChecksum'],
  ['with two alphabets at once', 'ton', 'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XO+4ff-W72r5gqPrHF', 'wrongForm'],
] as const)
  test(`strict: an address ${when} on ${network}: ${then}`, () => {
    const checked = strict.validateAddress(network, address)
    assert.equal(checked.ok ? 'ok' : checked.reason, then)
  })

const lenient = simulatedChain()
for (const [when, network, address, then] of [
  ['that is valid on no network', 'base', 'my-wallet', 'ok'],
  ['with a wrong checksum', 'base', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD', 'ok'],
  ['without an owner', 'base', `0x${'0'.repeat(40)}`, 'withoutOwner'],
  ['without an owner', 'solana', '1'.repeat(32), 'withoutOwner'],
  ['without an owner', 'tron', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', 'withoutOwner'],
  ['without an owner', 'ton', `0:${'0'.repeat(64)}`, 'withoutOwner'],
] as const)
  test(`lenient: an address ${when} on ${network}: ${then}`, () => {
    const checked = lenient.validateAddress(network, address)
    assert.equal(checked.ok ? 'ok' : checked.reason, then)
  })

const evm = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const ton = 'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF'
for (const [network, address, taken, then] of [
  ['base', evm.toLowerCase(), evm, 'withoutOwner'],
  ['base', evm, '0x52908400098527886e0f7030069857d2e4169ee7', 'ok'],
  ['ton', '0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e', ton, 'withoutOwner'],
  ['ton', ton, `0:${'5'.repeat(64)}`, 'ok'],
] as const)
  for (const [rule, chain] of [
    ['strict', strict],
    ['lenient', lenient],
  ] as const)
    test(`${rule}: where ${taken} is taken, ${address} is ${then}`, () => {
      const checked = chain.validateAddress(network, address, taken)
      assert.equal(checked.ok ? 'ok' : checked.reason, then)
    })

test('the chain has exactly the networks of the contract', () => {
  const accepted = (network: string) =>
    parseInput(operations.getTokenizationRequests, { params: {}, query: { network }, headers: {}, body: {} })
      .problems.length === 0
  assert.ok(networks.every(accepted))
  assert.equal(networks.length, 12)
})
