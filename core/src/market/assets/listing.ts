import { definedFields } from '../../defined-fields.ts'
import type { Appliers, Deciders } from '../../handlers.ts'
import { fail, ok } from '../../result.ts'
import { formatInstant, later, MINUTE, newYork } from '../../time.ts'
import { checkMarketEvent, marketEventBegins, remainingMarketEvents } from '../market-event.ts'
import { type AddedSymbol, type CustomFault, customOf } from './added.ts'
import { checkListing } from './custom.ts'
import { newSymbols } from './first-use.ts'

export type ListingRefusal =
  | { readonly code: 'assetSymbolTaken'; readonly symbol: string }
  | { readonly code: 'assetSymbolInvalid'; readonly symbol: string }
  | { readonly code: 'assetPriceInvalid' }
  | { readonly code: 'assetNotFound'; readonly symbol: string }
  | { readonly code: 'marketEventInvalid'; readonly field: string; readonly rule: string }
  | { readonly code: 'marketEventInPast'; readonly begins: string; readonly now: string }
  | { readonly code: 'marketEventNotFound'; readonly id: string }
  | { readonly code: 'marketEventBegun'; readonly id: string; readonly begins: string; readonly now: string }

const refusals: Record<CustomFault, (symbol: string) => ListingRefusal> = {
  badSymbol: (symbol) => ({ code: 'assetSymbolInvalid', symbol }),
  reservedSymbol: (symbol) => ({ code: 'assetSymbolTaken', symbol }),
  badPrice: () => ({ code: 'assetPriceInvalid' }),
}

export const listingDeciders = {
  /** Lists a symbol at today's price. */
  addSymbol(_, { at, asset }, { symbol, price, name, terms }) {
    if (asset(symbol)) return fail({ code: 'assetSymbolTaken', symbol })
    const added: AddedSymbol = {
      symbol,
      ...definedFields({ price, on: price === undefined ? undefined : newYork(at).date, name, terms }),
    }
    const checked = checkListing(customOf(added))
    return checked.ok ? ok([{ kind: 'symbolAdded', at, added }]) : fail(refusals[checked.reason](symbol))
  },

  /** Lists symbols on first use. Names that it does not list are no refusal: who looks them up says that they are unknown. */
  nameSymbols: (view, { at, asset }, { symbols, max }) =>
    ok(newSymbols(view, asset, symbols, max).map((added) => ({ kind: 'symbolAdded', at, added }))),

  /**
   * Adds a market event. It must start at least a minute ahead, because subscribers already know the next
   * minute's prices.
   */
  addMarketEvent(_, { at, asset }, { marketEvent }) {
    const { symbol } = marketEvent
    if (symbol !== undefined && !asset(symbol)) return fail({ code: 'assetNotFound', symbol })
    const checked = checkMarketEvent(marketEvent)
    if (!checked.ok) return fail({ code: 'marketEventInvalid', ...checked.reason })
    const begins = marketEventBegins(marketEvent)
    const open = later(at, MINUTE)
    if (begins < open)
      return fail({ code: 'marketEventInPast', begins: formatInstant(begins), now: formatInstant(open) })
    return ok([{ kind: 'marketEventAdded', at, marketEvent }])
  },

  /** Removes a market event, up to a minute before it begins, for the same reason. */
  removeMarketEvent(view, { at }, { number }) {
    const id = String(number)
    const found = remainingMarketEvents(view.settings?.marketEvents, view).find(
      (one) => one.number === number,
    )
    if (!found) return fail({ code: 'marketEventNotFound', id })
    const begins = marketEventBegins(found.event)
    const open = later(at, MINUTE)
    if (begins < open)
      return fail({
        code: 'marketEventBegun',
        id,
        begins: formatInstant(begins),
        now: formatInstant(open),
      })
    return ok([{ kind: 'marketEventRemoved', at, number }])
  },

  /** Makes the market use these series for their symbols. Series already in use are no change. */
  useImportedData({ importedData }, { at }, { data }) {
    const used = new Set(importedData.map(({ digest }) => digest))
    return ok(data.every(({ digest }) => used.has(digest)) ? [] : [{ kind: 'importedDataUsed', at, data }])
  },
} satisfies Deciders<ListingRefusal>

export const listingAppliers = {
  symbolAdded: (state, { added }) => state.symbols.set(added.symbol, added),

  marketEventAdded: (state, { marketEvent }) => state.marketEvents.push(marketEvent),

  marketEventRemoved: (state, { number }) => state.removedMarketEvents.add(number),

  importedDataUsed(state, { data }) {
    const symbols = new Set(data.map(({ symbol }) => symbol))
    state.importedData = [...state.importedData.filter(({ symbol }) => !symbols.has(symbol)), ...data]
  },
} satisfies Appliers
