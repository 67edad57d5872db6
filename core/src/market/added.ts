import type { Price } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import type { CivilDate, Instant } from '../time.ts'
import type { TradingTerms } from './asset.ts'
import type { CustomSymbol } from './custom.ts'
import type { Weather } from './weather.ts'

/** A symbol that somebody added to a world. */
export type AddedSymbol = {
  readonly symbol: Ticker
  /** What it costs on its day; absent: drawn from the symbol. */
  readonly price?: Price
  readonly on?: CivilDate
  readonly name?: string
  readonly terms?: TradingTerms
}

export type ListingCommand =
  | ({ readonly kind: 'addSymbol' } & Omit<AddedSymbol, 'on'>)
  | { readonly kind: 'addWeather'; readonly weather: Weather }

export type ListingEvent =
  | { readonly kind: 'symbolAdded'; readonly at: Instant; readonly added: AddedSymbol }
  | { readonly kind: 'weatherAdded'; readonly at: Instant; readonly weather: Weather }

const DOLLAR = 1_000_000_000

/** What the market makes its tape of. */
export const customOf = ({ symbol, price, on, name, terms }: AddedSymbol): CustomSymbol => ({
  symbol,
  ...(price !== undefined && { price: Number(price) / DOLLAR }),
  ...(on !== undefined && { on }),
  ...(name !== undefined && { name }),
  ...(terms !== undefined && { terms }),
})
