import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressIn, callOf, MINTED, TRANSFER, textsOf } from './evm-calls.ts'

const word = (text: string): string => text.padStart(64, '0')
const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

test('calls are encoded as contracts expect them', () => {
  assert.equal(callOf('totalSupply()'), '0x18160ddd')
  assert.equal(
    callOf('transfer(address,uint256)', [{ address: WALLET }, { number: 255n }]),
    `0xa9059cbb${word(WALLET.slice(2).toLowerCase())}${word('ff')}`,
  )
})

test('events are identified by the hash of their signature', () => {
  assert.equal(TRANSFER, '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
  assert.match(MINTED, /^0x[0-9a-f]{64}$/)
})

test('strings follow their offsets', () => {
  const written = textsOf(['ab', 'c'.repeat(33)])
  assert.equal(
    written,
    word('40') +
      word('80') +
      word('2') +
      '6162'.padEnd(64, '0') +
      word('21') +
      '63'.repeat(33).padEnd(128, '0'),
  )
})

test('an address is the last twenty bytes of a word', () => {
  assert.equal(addressIn(`0x${word(WALLET.slice(2))}`), WALLET.toLowerCase())
})
