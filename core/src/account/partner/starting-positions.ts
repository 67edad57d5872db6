import { type Money, type Quantity, sizeOf, toMoney, worthOf } from '../../amount.ts'
import type { AccountId } from '../../ids.ts'
import { BANK, customer, type LedgerAsset, type Settlement, shares, USD } from '../../ledger/chart.ts'
import type { Leg, Posting } from '../../ledger/ledger.ts'
import { isPair } from '../../market/assets/asset.ts'
import type { Moment } from '../../moment.ts'
import { fail, ok, type Result } from '../../result.ts'
import type { View } from '../../state/state.ts'
import type { Position } from '../account.ts'
import type { NewPosition } from '../commands.ts'
import { markOf } from '../positions/position-totals.ts'

export type StartingPositionRefusal =
  | { readonly code: 'assetNotFound'; readonly symbol: string }
  | { readonly code: 'noPrice'; readonly symbol: string }
  | { readonly code: 'duplicatePosition'; readonly symbol: string }
  /** Crypto cannot be borrowed, so a negative position could never be closed. */
  | { readonly code: 'assetNotShortable'; readonly symbol: string }

/** Holdings to start with, and their value now. */
export type StartingHoldings = {
  readonly cash: Money
  readonly positions: readonly Position[]
  readonly equity: Money
}

/** Positions at their requested cost, or else at market value. Zero quantities are dropped. */
export function startingHoldings(
  { asset, prices }: Moment,
  cash: Money,
  requested: readonly NewPosition[],
): Result<StartingHoldings, StartingPositionRefusal> {
  const positions = new Map<string, Position>()
  let equity = cash
  for (const { symbol, quantity, costBasis } of requested) {
    if (!asset(symbol)) return fail({ code: 'assetNotFound', symbol })
    if (quantity === 0n) continue
    if (quantity < 0n && isPair(symbol)) return fail({ code: 'assetNotShortable', symbol })
    if (positions.has(symbol)) return fail({ code: 'duplicatePosition', symbol })
    const mark = markOf(prices, symbol)
    const worth = mark === undefined ? undefined : worthOf(mark, quantity, 'nearest')
    const cost = costBasis === undefined ? worth : signedAs(costBasis, quantity)
    if (cost === undefined) return fail({ code: 'noPrice', symbol })
    positions.set(symbol, { symbol, quantity, costBasis: cost })
    equity = toMoney(equity + (worth ?? cost))
  }
  return ok({ cash, positions: [...positions.values()], equity })
}

/** The cost of a short is negative, whichever sign the request uses. */
const signedAs = (cost: Money, quantity: Quantity): Money =>
  toMoney(quantity < 0n ? -sizeOf(cost) : sizeOf(cost))

/**
 * Moves assets between the account and the bank until the account holds exactly these assets, all settled.
 */
export function postingTo(
  view: View,
  accountId: AccountId,
  { cash, positions }: Pick<StartingHoldings, 'cash' | 'positions'>,
): Posting {
  const wanted = new Map<LedgerAsset, bigint>([[USD, cash]])
  for (const { symbol, quantity } of positions) wanted.set(shares(symbol), quantity)
  const part = (settlement: Settlement): ReadonlyMap<LedgerAsset, bigint> =>
    view.ledger.get(customer(accountId, settlement)) ?? new Map()
  const [settled, unsettled] = [part('settled'), part('unsettled')]
  const legs: Leg[] = []
  for (const asset of new Set([...settled.keys(), ...unsettled.keys(), ...wanted.keys()])) {
    const settledChange = (wanted.get(asset) ?? 0n) - (settled.get(asset) ?? 0n)
    const unsettledChange = -(unsettled.get(asset) ?? 0n)
    legs.push(
      { account: BANK, asset, amount: -settledChange - unsettledChange },
      { account: customer(accountId, 'settled'), asset, amount: settledChange },
      { account: customer(accountId, 'unsettled'), asset, amount: unsettledChange },
    )
  }
  return legs.filter(({ amount }) => amount !== 0n)
}
