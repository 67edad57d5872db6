import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import type { State, View } from '../state.ts'
import { newYork } from '../time.ts'
import { type AddedSymbol, customOf, type ListingCommand, type ListingEvent } from './added.ts'
import { type CustomFault, checkCustom } from './custom.ts'

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
): Result<readonly [ListingEvent], ListingRefusal> {
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
