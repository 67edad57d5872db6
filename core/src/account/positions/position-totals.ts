import {
  type Money,
  negate,
  type Price,
  share,
  sizeOf,
  toMoney,
  toPrice,
  UNIT,
  worthOf,
} from '../../amount.ts'
import type { Ticker } from '../../ids.ts'
import type { MarginTerms } from '../../market/assets/asset.ts'
import type { Prices } from '../../market/prices.ts'
import type { Account, Position } from '../account.ts'
import { builtInPercent, longPercent, minimumPercent, shortMaintenance } from '../margin.ts'

/** A position valued at one price. */
export type TotalsRow = {
  readonly position: Position
  /** Negative for a short. */
  readonly value: Money
  readonly maintenance: Money
  /** Minimum maintenance percentage at any price; 100 for non-marginable assets. */
  readonly percent: bigint
}

/** Prices and margin terms at one instant. */
export type PricesAndTerms = {
  readonly prices: Prices
  asset(symbol: Ticker): MarginTerms | undefined
}

/** Totals over an account's positions. */
export type PositionTotals = {
  readonly rows: readonly TotalsRow[]
  readonly longValue: Money
  readonly shortValue: Money
  /** The absolute value of the non-marginable positions. */
  readonly fullyPaid: Money
  readonly maintenance: Money
}

/** Account values before holds; buying power is derived from them. */
export type Worth = {
  readonly account: Account
  readonly cash: Money
  readonly longValue: Money
  /** Zero or negative. */
  readonly shortValue: Money
  readonly equity: Money
  /** The absolute value of the non-marginable positions. */
  readonly fullyPaid: Money
  readonly maintenanceMargin: Money
  /** One position exceeds six times the equity: only closing orders are accepted. */
  readonly isRestricted: boolean
  readonly multiplier: 1 | 2 | 4
  /** Buying power before holds. */
  readonly power: Money
}

export function positionTotalsOf(
  positions: ReadonlyMap<Ticker, Position> | undefined,
  market: PricesAndTerms,
): PositionTotals {
  const rows: TotalsRow[] = []
  let [longValue, shortValue, fullyPaid, maintenance] = [0n, 0n, 0n, 0n]
  for (const position of positions?.values() ?? []) {
    const row = rowOf(position, market)
    rows.push(row)
    if (row.value < 0n) shortValue += row.value
    else longValue += row.value
    if (row.percent === 100n) fullyPaid += sizeOf(row.value)
    maintenance += row.maintenance
  }
  return {
    rows,
    longValue: toMoney(longValue),
    shortValue: toMoney(shortValue),
    fullyPaid: toMoney(fullyPaid),
    maintenance: toMoney(maintenance),
  }
}

function rowOf(position: Position, market: PricesAndTerms): TotalsRow {
  const { symbol, quantity } = position
  const mark = markOf(market.prices, symbol)
  const percent = percentOf(market, symbol)
  const value = marketValue(position, mark)
  const price = mark ?? entryPrice(position)
  const maintenance =
    quantity < 0n
      ? shortMaintenance(percent, price, negate(quantity))
      : share(value, longPercent(percent, price), 100n, 'up')
  return { position, value, maintenance, percent }
}

function percentOf(market: PricesAndTerms, symbol: Ticker): bigint {
  const asset = market.asset(symbol)
  return asset ? minimumPercent(asset) : builtInPercent(symbol)
}

/** The mark price of a position: the last trade, which exists at any hour. */
export const markOf = (prices: Prices, symbol: Ticker): Price | undefined => prices.trade(symbol)?.price

/** Without a price, a position counts at its cost. */
export const marketValue = (position: Position, mark: Price | undefined): Money =>
  mark === undefined ? position.costBasis : worthOf(mark, position.quantity, 'down')

const entryPrice = ({ costBasis, quantity }: Position): Price => toPrice((costBasis * UNIT) / quantity)
