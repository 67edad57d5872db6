import type { Price, Quantity } from '../../amount.ts'
import type { AssetId, Ticker } from '../../ids.ts'
import { boolean, oneOf, optional, record, type ValueOf } from '../../schema.ts'

/** Only crypto pairs have a slash in their symbol. */
export function isPair(symbol: Ticker): boolean {
  if (symbol !== latest.symbol) latest = { symbol, isPair: symbol.includes('/') }
  return latest.isPair
}

/** Cached, because one order needs it several times. */
let latest = { symbol: '', isPair: false }

export type AssetClass = 'usEquity' | 'crypto'
export type ListingExchange = 'NYSE' | 'NASDAQ' | 'ARCA' | 'AMEX' | 'BATS' | 'CRYPTO'

/** A tradable asset and its terms. */
export type Asset = {
  readonly id: AssetId
  readonly class: AssetClass
  readonly exchange: ListingExchange
  readonly symbol: Ticker
  readonly name: string
  readonly status: 'active' | 'inactive'
  readonly tradable: boolean
  readonly marginable: boolean
  readonly shortable: boolean
  readonly easyToBorrow: boolean
  readonly fractionable: boolean
  /** Leverage factor of a fund, if it requires a higher margin. */
  readonly leverage?: 2 | 3
  /** Minimum price increment of its market data. */
  readonly tick: Price
  /** Minimum size increment of its market data. */
  readonly lot: Quantity
}

/** The properties of an asset that its margin rates follow from. */
export const marginTermsSchema = record({ marginable: boolean(), leverage: optional(oneOf(2, 3)) })
export type MarginTerms = ValueOf<typeof marginTermsSchema>

/** Restrictions of a custom asset; omitted fields default to the asset class. */
export const tradingTermsSchema = record({
  tradable: optional(boolean()),
  fractionable: optional(boolean()),
  shortable: optional(boolean()),
  marginable: optional(boolean()),
})
export type TradingTerms = ValueOf<typeof tradingTermsSchema>
