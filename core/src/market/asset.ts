import type { Price, Quantity } from '../amount.ts'
import type { AssetId, Ticker } from '../ids.ts'

/** Coins are traded in pairs, and only their symbols have a slash. */
export function isPair(symbol: Ticker): boolean {
  if (symbol !== latest.symbol) latest = { symbol, isPair: symbol.includes('/') }
  return latest.isPair
}

/** An order asks several times. */
let latest = { symbol: '' as Ticker, isPair: false }

export type AssetClass = 'usEquity' | 'crypto'
export type Exchange = 'NYSE' | 'NASDAQ' | 'ARCA' | 'AMEX' | 'BATS' | 'CRYPTO'

/** What can be traded and under which terms. */
export type Asset = {
  readonly id: AssetId
  readonly class: AssetClass
  readonly exchange: Exchange
  readonly symbol: Ticker
  readonly name: string
  readonly status: 'active' | 'inactive'
  readonly tradable: boolean
  readonly marginable: boolean
  readonly shortable: boolean
  readonly easyToBorrow: boolean
  readonly fractionable: boolean
  /** By how much a fund multiplies its index, up or down, where that asks for more margin. */
  readonly leverage?: 2 | 3
  /** The smallest step of its tape. */
  readonly tick: Price
  /** The smallest size of its tape. */
  readonly lot: Quantity
}

/** The properties of an asset that its margin rates follow from. */
export type MarginTerms = Pick<Asset, 'marginable' | 'leverage'>

/** What an asset of one's own does not allow; what is not said is as usual for its class. */
export type TradingTerms = Partial<
  Readonly<Record<'tradable' | 'fractionable' | 'shortable' | 'marginable', boolean>>
>
