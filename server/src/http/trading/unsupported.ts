import { refuse } from '../../wire/refusal.ts'
import type { SomeHandlers } from '../context.ts'
import { assetNamed } from './assets.ts'

/** No account has crypto wallets: lists are empty, and every other call is refused. */
const walletHandlers = {
  listWallets: ({ query: { asset } }) => {
    if (asset !== undefined) throw refuse({ code: 'walletNotFound', asset })
    return []
  },
  listWalletTransfers: () => [],
  createWalletTransfer: noWallets,
  getWalletTransfer: ({ params: { id } }) => {
    throw refuse({ code: 'walletTransferNotFound', id })
  },
  listWhitelistedAddresses: () => [],
  createWhitelistedAddress: noWallets,
  deleteWhitelistedAddress: ({ params: { id } }) => {
    throw refuse({ code: 'whitelistedAddressNotFound', id })
  },
  estimateWalletFee: noWallets,
} satisfies SomeHandlers

function noWallets(): never {
  throw refuse({ code: 'walletsNotAvailable' })
}

/** All shortable assets are easy to borrow, so every locate is refused with the reason of its asset. */
const locateHandlers = {
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
} satisfies SomeHandlers

export const unsupportedHandlers = { ...walletHandlers, ...locateHandlers }
