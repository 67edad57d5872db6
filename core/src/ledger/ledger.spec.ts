import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { AccountId, Ticker } from '../ids.ts'
import { BANK, customer, type LedgerAccount, STREET, shares, tokenSymbolOf, tokens, USD } from './chart.ts'
import { balance, imbalances, type Ledger, move, post, totals } from './ledger.ts'

const ada = customer('ada' as AccountId, 'settled')
const apple = shares('AAPL' as Ticker)

test('a move debits one account and credits the other', () => {
  const ledger: Ledger = new Map()
  post(ledger, move(USD, 100n, { from: BANK, to: ada }))
  assert.equal(balance(ledger, ada, USD), 100n)
  assert.equal(balance(ledger, BANK, USD), -100n)
  assert.equal(balance(ledger, ada, apple), 0n)
})

test('a move of zero has no legs, and a negative move is a bug', () => {
  assert.deepEqual(move(USD, 0n, { from: BANK, to: ada }), [])
  assert.throws(() => move(USD, -1n, { from: BANK, to: ada }), /bug/)
})

test('no leg of an unbalanced posting is booked', () => {
  const ledger: Ledger = new Map()
  const unbalanced = [...move(USD, 5n, { from: BANK, to: ada }), { account: ada, asset: apple, amount: 1n }]
  assert.deepEqual(imbalances(unbalanced), [apple])
  assert.throws(() => post(ledger, unbalanced), /AAPL/)
  assert.equal(ledger.size, 0)
})

test('legs that differ by a billionth are refused', () => {
  for (const amount of [4n, 6n]) {
    const ledger: Ledger = new Map()
    const legs = [
      { account: BANK, asset: USD, amount: -5n },
      { account: ada, asset: USD, amount },
    ]
    assert.throws(() => post(ledger, legs), /USD/)
    assert.equal(ledger.size, 0)
  }
})

test('a balance of zero is deleted', () => {
  const ledger: Ledger = new Map()
  post(ledger, move(USD, 5n, { from: BANK, to: ada }))
  post(ledger, move(USD, 5n, { from: ada, to: BANK }))
  assert.equal(ledger.get(ada)?.size, 0)
})

test('a token is counted by symbol and network', () => {
  assert.notEqual(tokens('AAPLx', 'solana'), tokens('AAPLx', 'base'))
  assert.equal(tokenSymbolOf(tokens('AAPLx', 'solana')), 'AAPLx')
})

test('the sum over all accounts is zero for every asset', () => {
  const account = fc.constantFrom<LedgerAccount>(BANK, STREET, ada, customer('ada' as AccountId, 'unsettled'))
  const asset = fc.constantFrom(USD, apple, tokens('AAPLx', 'base'))
  const moves = fc.array(fc.tuple(asset, fc.bigInt({ min: 0n, max: 10n ** 18n }), account, account))
  fc.assert(
    fc.property(moves, (all) => {
      const ledger: Ledger = new Map()
      for (const [moved, amount, from, to] of all) post(ledger, move(moved, amount, { from, to }))
      for (const sum of totals(ledger).values()) assert.equal(sum, 0n)
    }),
  )
})
