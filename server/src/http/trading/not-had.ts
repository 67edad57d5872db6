import type { Handlers } from '@quipu/contract'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'

type Names =
  | 'listOptionContracts'
  | 'getOptionContract'
  | 'listWallets'
  | 'listWalletTransfers'
  | 'createWalletTransfer'
  | 'getWalletTransfer'
  | 'listWhitelistedAddresses'
  | 'createWhitelistedAddress'
  | 'deleteWhitelistedAddress'
  | 'estimateWalletFee'

/** What no account has here: lists are empty, and one of them is not found or refused. */
export const notHadHandlers: Handlers<Context, Names> = {
  listOptionContracts: () => ({ option_contracts: [], next_page_token: null }),
  getOptionContract: ({ params: { symbol_or_id: symbol } }) => {
    throw refuse({ code: 'optionContractNotFound', symbol })
  },
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
}

function noWallets(): never {
  throw refuse({ code: 'walletsNotAvailable' })
}
