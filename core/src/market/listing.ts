import { definedFields } from '../defined-fields.ts'
import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import type { State, View } from '../state.ts'
import { formatInstant, type Instant, MINUTE, newYork } from '../time.ts'
import {
  type AddedSymbol,
  type CustomFault,
  checkCustom,
  customOf,
  type ListingCommand,
  type ListingEvent,
} from './added.ts'
import type { ImportedCommand, ImportedEvent } from './imported.ts'
import { checkMarketEvent, marketEventBegins } from './market-event.ts'

export type ListingRefusal =
  | { readonly code: 'assetSymbolTaken'; readonly symbol: string }
  | { readonly code: 'assetSymbolInvalid'; readonly symbol: string }
  | { readonly code: 'assetPriceInvalid' }
  | { readonly code: 'assetNotFound'; readonly symbol: string }
  | { readonly code: 'marketEventInvalid'; readonly field: string; readonly rule: string }
  | { readonly code: 'marketEventInPast'; readonly begins: string; readonly now: string }

const refusals: Record<CustomFault, (symbol: string) => ListingRefusal> = {
  badSymbol: (symbol) => ({ code: 'assetSymbolInvalid', symbol }),
  reservedSymbol: (symbol) => ({ code: 'assetSymbolTaken', symbol }),
  badPrice: () => ({ code: 'assetPriceInvalid' }),
}

/** Lists a symbol at today's price. */
export function addSymbol(
  _: View,
  { at, asset }: Moment,
  { symbol, price, name, terms }: Extract<ListingCommand, { kind: 'addSymbol' }>,
): Result<readonly [ListingEvent], ListingRefusal> {
  if (asset(symbol)) return fail({ code: 'assetSymbolTaken', symbol })
  const added: AddedSymbol = {
    symbol,
    ...definedFields({ price, on: price === undefined ? undefined : newYork(at).date, name, terms }),
  }
  const checked = checkCustom(customOf(added))
  return checked.ok ? ok([{ kind: 'symbolAdded', at, added }]) : fail(refusals[checked.reason](symbol))
}

/**
 * Adds a market event. It must start at least a minute ahead, because subscribers already know the next
 * minute's prices.
 */
export function addMarketEvent(
  _: View,
  { at, asset }: Moment,
  { marketEvent }: Extract<ListingCommand, { kind: 'addMarketEvent' }>,
): Result<readonly [ListingEvent], ListingRefusal> {
  const { symbol } = marketEvent
  if (symbol !== undefined && !asset(symbol)) return fail({ code: 'assetNotFound', symbol })
  const checked = checkMarketEvent(marketEvent)
  if (!checked.ok) return fail({ code: 'marketEventInvalid', ...checked.reason })
  const begins = marketEventBegins(marketEvent)
  const open = (at + MINUTE) as Instant
  if (begins < open)
    return fail({ code: 'marketEventInPast', begins: formatInstant(begins), now: formatInstant(open) })
  return ok([{ kind: 'marketEventAdded', at, marketEvent }])
}

export function applyListing(state: State, event: ListingEvent): void {
  if (event.kind === 'symbolAdded') state.symbols.set(event.added.symbol, event.added)
  else state.marketEvents.push(event.marketEvent)
}

/** Makes the market use these series for their symbols. Series already in use are no change. */
export function useImportedData(
  { importedData }: View,
  { at }: Moment,
  { data }: ImportedCommand,
): Result<readonly ImportedEvent[], never> {
  const used = new Set(importedData.map(({ digest }) => digest))
  return ok(data.every(({ digest }) => used.has(digest)) ? [] : [{ kind: 'importedDataUsed', at, data }])
}

export function applyImported(state: State, { data }: ImportedEvent): void {
  const symbols = new Set(data.map(({ symbol }) => symbol))
  state.importedData = [...state.importedData.filter(({ symbol }) => !symbols.has(symbol)), ...data]
}
