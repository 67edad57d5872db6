import type { Price } from '../amount.ts'
import type { BrokerEvent } from '../events.ts'
import type { Ticker } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import type { State, View } from '../state.ts'
import { type CivilDate, type Instant, newYork } from '../time.ts'
import { type CustomFault, type CustomSymbol, checkCustom } from './custom.ts'

/** A symbol that somebody added to a world. */
export type AddedSymbol = {
  readonly symbol: Ticker
  /** What it costs on its day; absent: drawn from the symbol. */
  readonly price?: Price
  readonly on?: CivilDate
  readonly name?: string
}

export type ListingCommand = { readonly kind: 'addSymbol' } & Omit<AddedSymbol, 'on'>

export type ListingEvent = {
  readonly kind: 'symbolAdded'
  readonly at: Instant
  readonly added: AddedSymbol
}

export type ListingRefusal =
  | { readonly code: 'assetTaken'; readonly symbol: string }
  | { readonly code: 'assetSymbolInvalid'; readonly symbol: string }
  | { readonly code: 'assetPriceInvalid' }

const refusals: Record<CustomFault, (symbol: string) => ListingRefusal> = {
  badSymbol: (symbol) => ({ code: 'assetSymbolInvalid', symbol }),
  reservedSymbol: (symbol) => ({ code: 'assetTaken', symbol }),
  badPrice: () => ({ code: 'assetPriceInvalid' }),
}

/** Lists a symbol. Its price is that of today. */
export function addSymbol(
  _: View,
  { at, asset }: Moment,
  { symbol, price, name }: ListingCommand,
): Result<readonly BrokerEvent[], ListingRefusal> {
  if (asset(symbol)) return fail({ code: 'assetTaken', symbol })
  const added: AddedSymbol = {
    symbol,
    ...(price !== undefined && { price, on: newYork(at).date }),
    ...(name !== undefined && { name }),
  }
  const checked = checkCustom(customOf(added))
  return checked.ok ? ok([{ kind: 'symbolAdded', at, added }]) : fail(refusals[checked.reason](symbol))
}

export function applyListing(state: State, { added }: ListingEvent): void {
  state.symbols.set(added.symbol, added)
}

const DOLLAR = 1_000_000_000

/** What the market makes its tape of. */
export const customOf = ({ symbol, price, on, name }: AddedSymbol): CustomSymbol => ({
  symbol,
  ...(price !== undefined && { price: Number(price) / DOLLAR }),
  ...(on !== undefined && { on }),
  ...(name !== undefined && { name }),
})
