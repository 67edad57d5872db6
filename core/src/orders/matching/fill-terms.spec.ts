import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Money, Price, Quantity } from '../../amount.ts'
import type { AccountId, Ticker } from '../../ids.ts'
import { customer, STREET, shares, USD } from '../../ledger/chart.ts'
import { imbalances } from '../../ledger/posting.ts'
import { type FillTerms, fillTerms, legs } from './fill.ts'

const few = fc.bigInt({ min: 0n, max: 3n })
const terms: fc.Arbitrary<FillTerms> = fc
  .record({
    symbol: fc.constantFrom('F' as Ticker, 'BTC/USD' as Ticker),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    quantity: few as fc.Arbitrary<Quantity>,
    price: few as fc.Arbitrary<Price>,
    cash: few as fc.Arbitrary<Money>,
    cat: fc.option(few, { nil: undefined }),
  })
  .map(({ cat, ...amounts }) => fillTerms(amounts, cat === undefined ? {} : { fees: { cat: cat as Money } }))

const account = fc.constantFrom('ada' as AccountId, 'bob' as AccountId)
const posted = (of: FillTerms, accountId: AccountId) => legs(of, customer(accountId, 'unsettled'), accountId)

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
