import type { Handlers } from '@quipu/contract'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'

type Names =
  | 'listWallets'
  | 'listWalletTransfers'
  | 'createWalletTransfer'
  | 'getWalletTransfer'
  | 'listWhitelistedAddresses'
  | 'createWhitelistedAddress'
  | 'deleteWhitelistedAddress'
  | 'estimateWalletFee'

/** No account has crypto wallets: lists are empty, and every other call is refused. */
export const walletHandlers: Handlers<Context, Names> = {
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
