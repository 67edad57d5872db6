import type { Handlers } from '@quipu/contract'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { assetNamed } from './assets.ts'

type Names = 'listLocateQuotes' | 'createLocate' | 'listLocates' | 'getLocate'

/** All shortable assets are easy to borrow, so every locate is refused with the reason of its asset. */
export const locateHandlers: Handlers<Context, Names> = {
  listLocateQuotes: ({ query: { symbols } }, context) => ({
    quotes: [],
    errors: symbols.map((symbol) => {
      const isKnown = assetNamed(context.account.world, symbol)?.shortable === true
      const code = isKnown ? 'easy_to_borrow' : 'symbol_not_found'
      return {
        symbol,
        code,
        message: isKnown ? `${symbol} is easy to borrow` : `symbol not found: ${symbol}`,
      }
    }),
  }),

  createLocate: ({ body: { symbol } }, context) => {
    const asset = assetNamed(context.account.world, symbol)
    if (!asset) throw refuse({ code: 'locateSymbolNotFound', symbol })
    throw refuse({ code: asset.shortable ? 'locateEasyToBorrow' : 'locateNotShortable', symbol })
  },

  listLocates: () => ({ locates: [], next_page_token: null }),

  getLocate: ({ params: { id } }) => {
    throw refuse({ code: 'locateNotFound', id })
  },
}
