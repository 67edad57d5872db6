import { type CoinFee, coinFeeLegs, type RegulatoryFees } from '../../account/fees.ts'
import { type Money, NO_MONEY, type Price, type Quantity } from '../../amount.ts'
import type { AccountId, Ticker } from '../../ids.ts'
import { type LedgerAccount, STREET, shares, USD } from '../../ledger/chart.ts'
import type { Leg, Posting } from '../../ledger/posting.ts'
import type { Side } from '../order.ts'

/** What so much of one side comes to at one quote. Orders of one size share it, and the street's legs with it. */
export type FillTerms = Moved & {
  readonly fees: RegulatoryFees | undefined
  readonly coinFee: CoinFee | undefined
  /** What the customer gets or gives of each, signed. */
  readonly ownCash: bigint
  readonly ownShares: bigint
  readonly streetCash: Leg
  readonly streetShares: Leg
}

type Moved = {
  readonly symbol: Ticker
  readonly side: Side
  readonly quantity: Quantity
  readonly price: Price
  readonly cash: Money
}

export function fillTerms(
  { symbol, side, quantity, price, cash }: Moved,
  { fees, coinFee }: { readonly fees?: RegulatoryFees; readonly coinFee?: CoinFee },
): FillTerms {
  const isBuy = side === 'buy'
  return {
    symbol,
    side,
    quantity,
    price,
    cash,
    fees,
    coinFee,
    ownCash: isBuy ? -cash : cash,
    ownShares: isBuy ? quantity : -quantity,
    streetCash: { account: STREET, asset: USD, amount: isBuy ? cash : -cash },
    streetShares: { account: STREET, asset: shares(symbol), amount: isBuy ? -quantity : quantity },
  }
}

/**
 * Cash one way, shares the other, both unsettled, and coins settled at once; the street stands on the other side. What
 * leaves an account stands first. What is kept of coins is a second pair.
 */
export function legs(terms: FillTerms, own: LedgerAccount, accountId: AccountId): Posting {
  const { side, cash, coinFee, streetCash, streetShares } = terms
  const ownShares = { account: own, asset: streetShares.asset, amount: terms.ownShares }
  const ownCash = { account: own, asset: USD, amount: terms.ownCash }
  const moved =
    // What costs less than a cent may bring nothing.
    cash === NO_MONEY
      ? side === 'buy'
        ? [streetShares, ownShares]
        : [ownShares, streetShares]
      : side === 'buy'
        ? [ownCash, streetCash, streetShares, ownShares]
        : [streetCash, ownCash, ownShares, streetShares]
  return coinFee ? [...moved, ...coinFeeLegs(accountId, coinFee)] : moved
}
