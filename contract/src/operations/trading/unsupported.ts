import { operation } from '../../operation.ts'
import {
  array,
  bool,
  dateOrTimestamp,
  decimal,
  decimalText,
  integer,
  isPositive,
  list,
  nullable,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { keyErrors, keyHeader } from '../broker/idempotency.ts'

/** Quipu does not have these features: lists are empty, other calls are refused. */
const reading = { family: 'trading', who: ['account'], scope: 'read', state: 'empty' } as const
const writing = { ...reading, scope: 'trading', state: 'refused' } as const

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

/** Crypto can be traded but not transferred on a chain, so no account has a wallet. */
export const wallets = {
  listWallets: operation('GET /v2/wallets', reading, {
    summary: 'List wallets of the account. With `asset`, get the wallet of that asset.',
    query: record({ asset: optional(coin), chain: optional(chain), network: optional(text({ max: 64 })) }),
    output: array(Wallet),
    errors: ['invalidParameter', 'walletNotFound'],
  }),
  listWalletTransfers: operation('GET /v2/wallets/transfers', reading, {
    summary: 'List crypto transfers of the account.',
    output: array(WalletTransfer),
  }),
  createWalletTransfer: operation('POST /v2/wallets/transfers', writing, {
    summary: 'Send crypto to an address.',
    headers: keyHeader,
    body: record({
      amount: decimal().where(isPositive, 'amount must be > 0'),
      address,
      asset: coin,
      chain: optional(chain),
    }),
    output: WalletTransfer,
    errors: ['invalidParameter', ...keyErrors, 'walletsNotAvailable'],
  }),
  getWalletTransfer: operation('GET /v2/wallets/transfers/{id}', reading, {
    state: 'refused',
    summary: 'Get a crypto transfer.',
    params: record({ id: uuid() }),
    output: WalletTransfer,
    errors: ['invalidParameter', 'walletTransferNotFound'],
  }),
  listWhitelistedAddresses: operation('GET /v2/wallets/whitelists', reading, {
    summary: 'List addresses that crypto may be sent to.',
    output: array(WhitelistedAddress),
  }),
  createWhitelistedAddress: operation('POST /v2/wallets/whitelists', writing, {
    summary: 'Add an address to the whitelist.',
    body: record({ address, asset: coin, chain: optional(chain) }),
    output: WhitelistedAddress,
    errors: ['invalidParameter', 'walletsNotAvailable'],
  }),
  deleteWhitelistedAddress: operation('DELETE /v2/wallets/whitelists/{id}', writing, {
    summary: 'Remove an address from the whitelist.',
    params: record({ id: uuid() }),
    errors: ['invalidParameter', 'whitelistedAddressNotFound'],
  }),
  estimateWalletFee: operation('GET /v2/wallets/fees/estimate', reading, {
    state: 'refused',
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

const symbol = text({ min: 1, max: 64 })
const invalidInput = 'locateInvalidInput'

const Locate = record({
  id: uuid(),
  symbol: text(),
  requested_qty: integer(),
  all_or_none: bool(),
  status: oneOf('active', 'expired', 'rejected'),
  created_at: timestamp(),
  located_qty: optional(integer()),
  located_price: optional(decimalText()),
  total_fee: optional(decimalText()),
  expires_at: optional(timestamp()),
  limit_price: optional(decimalText()),
  rejection_reason: optional(text()),
}).named('Locate')

const LocateQuotes = record({
  quotes: array(
    record({
      symbol: text(),
      available_qty: integer(),
      price: optional(decimalText()),
      quoted_at: timestamp(),
    }),
  ),
  errors: optional(
    array(
      record({
        symbol: text(),
        code: oneOf('symbol_not_found', 'easy_to_borrow', 'threshold_security', 'corporate_action'),
        message: text(),
      }),
    ),
  ),
}).named('LocateQuotes')

/** Every shortable share is easy to borrow, so locates are never needed and always refused. */
export const locates = {
  listLocateQuotes: operation('GET /v1/locates/quotes', reading, {
    summary: 'List borrow fees of hard-to-borrow shares.',
    query: record({
      symbols: list(symbol, { max: 100 })
        .where((symbols) => symbols.length > 0, 'symbols is required')
        .refusedAs('locateInvalidSymbols'),
    }),
    output: LocateQuotes,
    errors: ['locateInvalidSymbols'],
  }),
  createLocate: operation('POST /v1/locates', writing, {
    summary: 'Request a locate of hard-to-borrow shares.',
    undecodable: 'locateInvalidBody',
    headers: record({ 'idempotency-key': optional(text({ max: 256 }).refusedAs(invalidInput)) }),
    body: record({
      symbol: symbol.refusedAs(invalidInput),
      qty: integer({ min: 100, max: 1_000_000_000 })
        .where((qty) => qty % 100 === 0, 'qty must be a multiple of 100')
        .refusedAs(invalidInput),
      limit_price: optional(
        decimal().where(isPositive, 'limit_price must be > 0').refusedAs('locateInvalidLimitPrice'),
      ),
      all_or_none: withDefault(bool().refusedAs(invalidInput), false),
    }),
    output: Locate,
    status: 201,
    errors: [
      'locateInvalidBody',
      'locateInvalidInput',
      'locateInvalidLimitPrice',
      'locateSymbolNotFound',
      'locateNotShortable',
      'locateEasyToBorrow',
    ],
  }),
  listLocates: operation('GET /v1/locates', reading, {
    summary: 'List locates of the account.',
    query: record({
      page_token: optional(text({ max: 256 }).refusedAs(invalidInput)),
      limit: withDefault(integer({ min: 1, max: 10_000 }).refusedAs(invalidInput), 1_000),
      status: optional(oneOf('active', 'expired', 'rejected').refusedAs(invalidInput)),
      symbol: optional(symbol.refusedAs(invalidInput)),
      start: optional(dateOrTimestamp().refusedAs(invalidInput)),
      end: optional(dateOrTimestamp().refusedAs(invalidInput)),
    }),
    output: record({ locates: array(Locate), next_page_token: nullable(text()) }),
    errors: ['locateInvalidInput'],
  }),
  getLocate: operation('GET /v1/locates/{id}', reading, {
    state: 'refused',
    summary: 'Get a locate.',
    params: record({ id: uuid().refusedAs(invalidInput) }),
    output: Locate,
    errors: ['locateInvalidInput', 'locateNotFound'],
  }),
}
