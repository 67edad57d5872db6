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

/** Coins are bought and sold here; they come from no chain and go to none, so that no account has a wallet. */
export const wallets = {
  listWallets: operation({
    ...reading,
    path: '/v2/wallets',
    summary: 'The wallets of the account; with `asset`, the wallet of that one.',
    query: record({ asset: optional(coin), chain: optional(chain), network: optional(text({ max: 64 })) }),
    output: array(Wallet),
    errors: ['invalidParameter', 'walletNotFound'],
  }),
  listWalletTransfers: operation({
    ...reading,
    path: '/v2/wallets/transfers',
    summary: 'Coins that came from a chain or went there.',
    output: array(WalletTransfer),
    errors: [],
  }),
  createWalletTransfer: operation({
    ...writing,
    path: '/v2/wallets/transfers',
    summary: 'Sends coins to an address.',
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
    summary: 'One transfer of coins.',
    params: record({ id: uuid() }),
    output: WalletTransfer,
    errors: ['invalidParameter', 'walletTransferNotFound'],
  }),
  listWhitelistedAddresses: operation({
    ...reading,
    path: '/v2/wallets/whitelists',
    summary: 'Addresses to which coins may be sent.',
    output: array(WhitelistedAddress),
    errors: [],
  }),
  createWhitelistedAddress: operation({
    ...writing,
    path: '/v2/wallets/whitelists',
    summary: 'Allows an address.',
    body: record({ address, asset: coin, chain: optional(chain) }),
    output: WhitelistedAddress,
    errors: ['invalidParameter', 'walletsNotAvailable'],
  }),
  deleteWhitelistedAddress: operation({
    ...writing,
    method: 'DELETE',
    path: '/v2/wallets/whitelists/{id}',
    summary: 'Forgets an address.',
    params: record({ id: uuid() }),
    status: 204,
    errors: ['invalidParameter', 'whitelistedAddressNotFound'],
  }),
  estimateWalletFee: operation({
    ...reading,
    state: 'refused',
    path: '/v2/wallets/fees/estimate',
    summary: 'What a transfer of coins would cost.',
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
