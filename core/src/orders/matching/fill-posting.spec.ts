import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Money, Quantity } from '../../amount.ts'
import type { AccountId, Ticker } from '../../ids.ts'
import { customer, STREET, shares, USD } from '../../ledger/chart.ts'
import { imbalances } from '../../ledger/ledger.ts'
import { type FillTerms, postingOf } from './fill.ts'

const terms: fc.Arbitrary<FillTerms> = fc.record({
  symbol: fc.constantFrom('F' as Ticker, 'BTC/USD' as Ticker),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  quantity: fc.bigInt({ min: 1n, max: 3n }) as fc.Arbitrary<Quantity>,
  cash: fc.bigInt({ min: 0n, max: 3n }) as fc.Arbitrary<Money>,
})

const account = fc.constantFrom('ada' as AccountId, 'bob' as AccountId)
const posted = (of: FillTerms, accountId: AccountId) =>
  postingOf(of, customer(accountId, 'unsettled'), accountId)

test('the posting of a fill is balanced, and debits come first', () => {
  fc.assert(
    fc.property(terms, account, (of, accountId) => {
      const posting = posted(of, accountId)
      assert.deepEqual(imbalances(posting), [])
      const ledgerAccount = customer(accountId, 'unsettled')
      const [payer, seller] = of.side === 'buy' ? [ledgerAccount, STREET] : [STREET, ledgerAccount]
      const asset = shares(of.symbol)
      const cash = [
        { account: payer, asset: USD, amount: -of.cash },
        { account: seller, asset: USD, amount: of.cash },
      ]
      assert.deepEqual(posting, [
        ...(of.cash === 0n ? [] : cash),
        { account: seller, asset, amount: -of.quantity },
        { account: payer, asset, amount: of.quantity },
      ])
    }),
  )
})
