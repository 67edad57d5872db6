import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { AccountId, Ticker } from '../ids.ts'
import { BANK, customer, type LedgerAccount, STREET, shares, tokenSymbolOf, tokens, USD } from './chart.ts'
import { balance, type Ledger, post, totals } from './ledger.ts'
import { imbalances, move } from './posting.ts'

const ada = customer('ada' as AccountId, 'settled')
const apple = shares('AAPL' as Ticker)

test('a move leaves one account and arrives at the other', () => {
  const ledger: Ledger = new Map()
  post(ledger, move(USD, 100n, { from: BANK, to: ada }))
  assert.equal(balance(ledger, ada, USD), 100n)
  assert.equal(balance(ledger, BANK, USD), -100n)
  assert.equal(balance(ledger, ada, apple), 0n)
})

test('nothing moved is no legs, and less than nothing is a bug', () => {
  assert.deepEqual(move(USD, 0n, { from: BANK, to: ada }), [])
  assert.throws(() => move(USD, -1n, { from: BANK, to: ada }), /bug/)
})

test('a lopsided posting is refused whole', () => {
  const ledger: Ledger = new Map()
  const lopsided = [...move(USD, 5n, { from: BANK, to: ada }), { account: ada, asset: apple, amount: 1n }]
  assert.deepEqual(imbalances(lopsided), [apple])
  assert.throws(() => post(ledger, lopsided), /AAPL/)
  assert.equal(ledger.size, 0)
})

test('a posting whose two legs differ by a billionth is refused', () => {
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

test('an asset that an account no longer holds leaves no trace', () => {
  const ledger: Ledger = new Map()
  post(ledger, move(USD, 5n, { from: BANK, to: ada }))
  post(ledger, move(USD, 5n, { from: ada, to: BANK }))
  assert.equal(ledger.get(ada)?.size, 0)
})

test('a token is counted by symbol and network', () => {
  assert.notEqual(tokens('AAPLx', 'solana'), tokens('AAPLx', 'base'))
  assert.equal(tokenSymbolOf(tokens('AAPLx', 'solana')), 'AAPLx')
})

test('whatever is moved, all accounts together hold nothing of anything', () => {
  const account = fc.constantFrom<LedgerAccount>(BANK, STREET, ada, customer('ada' as AccountId, 'unsettled'))
  const asset = fc.constantFrom(USD, apple, tokens('AAPLx', 'base'))
  const moves = fc.array(fc.tuple(asset, fc.bigInt({ min: 0n, max: 10n ** 18n }), account, account))
  fc.assert(
    fc.property(moves, (all) => {
      const ledger: Ledger = new Map()
      for (const [what, amount, from, to] of all) post(ledger, move(what, amount, { from, to }))
      for (const sum of totals(ledger).values()) assert.equal(sum, 0n)
    }),
  )
})
