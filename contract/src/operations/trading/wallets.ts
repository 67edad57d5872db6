import { operation } from '../../operation.ts'
import {
  array,
  decimal,
  decimalText,
  isPositive,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'

const chain = oneOf('SOL', 'ETH', 'BTC', 'XRP', 'ARB')
const coin = text({ min: 1, max: 16 })
const address = text({ min: 1, max: 128 })

const Wallet = record({ chain: text(), address: text(), created_at: timestamp() }).named('Wallet')

const WalletTransfer = record({
  id: uuid(),
  tx_hash: text(),
  direction: oneOf('INCOMING', 'OUTGOING'),
  amount: decimalText(),
  usd_value: decimalText(),
  network_fee: decimalText(),
  fees: decimalText(),
  chain: text(),
  asset: text(),
  from_address: text(),
  to_address: text(),
  status: oneOf('PROCESSING', 'FAILED', 'COMPLETE'),
  created_at: timestamp(),
}).named('WalletTransfer')

const WhitelistedAddress = record({
  id: uuid(),
  chain: text(),
  asset: text(),
  address: text(),
  status: oneOf('PENDING', 'APPROVED'),
  created_at: timestamp(),
}).named('WhitelistedAddress')

const reading = {
  family: 'trading',
  method: 'GET',
  who: ['account'],
  scope: 'read',
  status: 200,
  state: 'empty',
} as const
const writing = { ...reading, method: 'POST', scope: 'trading', state: 'refused' } as const

/** Crypto can be traded but not transferred on a chain, so no account has a wallet. */
export const wallets = {
  listWallets: operation({
    ...reading,
    path: '/v2/wallets',
    summary: 'List wallets of the account. With `asset`, get the wallet of that asset.',
    query: record({ asset: optional(coin), chain: optional(chain), network: optional(text({ max: 64 })) }),
    output: array(Wallet),
    errors: ['invalidParameter', 'walletNotFound'],
  }),
  listWalletTransfers: operation({
    ...reading,
    path: '/v2/wallets/transfers',
    summary: 'List crypto transfers of the account.',
    output: array(WalletTransfer),
    errors: [],
  }),
  createWalletTransfer: operation({
    ...writing,
    path: '/v2/wallets/transfers',
    summary: 'Send crypto to an address.',
    body: record({
      amount: decimal().where(isPositive, 'amount must be > 0'),
      address,
      asset: coin,
      chain: optional(chain),
    }),
    output: WalletTransfer,
    errors: ['invalidParameter', 'walletsNotAvailable'],
  }),
  getWalletTransfer: operation({
    ...reading,
    state: 'refused',
    path: '/v2/wallets/transfers/{id}',
    summary: 'Get a crypto transfer.',
    params: record({ id: uuid() }),
    output: WalletTransfer,
    errors: ['invalidParameter', 'walletTransferNotFound'],
  }),
  listWhitelistedAddresses: operation({
    ...reading,
    path: '/v2/wallets/whitelists',
    summary: 'List addresses that crypto may be sent to.',
    output: array(WhitelistedAddress),
    errors: [],
  }),
  createWhitelistedAddress: operation({
    ...writing,
    path: '/v2/wallets/whitelists',
    summary: 'Add an address to the whitelist.',
    body: record({ address, asset: coin, chain: optional(chain) }),
    output: WhitelistedAddress,
    errors: ['invalidParameter', 'walletsNotAvailable'],
  }),
  deleteWhitelistedAddress: operation({
    ...writing,
    method: 'DELETE',
    path: '/v2/wallets/whitelists/{id}',
    summary: 'Remove an address from the whitelist.',
    params: record({ id: uuid() }),
    status: 204,
    errors: ['invalidParameter', 'whitelistedAddressNotFound'],
  }),
  estimateWalletFee: operation({
    ...reading,
    state: 'refused',
    path: '/v2/wallets/fees/estimate',
    summary: 'Estimate the fee of a crypto transfer.',
    query: record({
      asset: optional(coin),
      from_address: optional(address),
      to_address: optional(address),
      amount: optional(decimal()),
    }),
    output: record({ fee: decimalText(), network_fee: decimalText() }),
    errors: ['invalidParameter', 'walletsNotAvailable'],
  }),
}
