import { operation } from '../../operation.ts'
import {
  array,
  decimalText,
  integer,
  isPositive,
  type MomentText,
  moment,
  nullable,
  oneOf,
  optional,
  plainDecimal,
  record,
  type SentTime,
  type Shape,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'
import { named, shape } from '../../shape/shape.ts'
import { keyErrors as errorsOfKey, keyHeader } from '../broker/idempotency.ts'

/** The issuers of the public protocol. An operator may register others, under any name. */
export const knownIssuers: readonly string[] = ['binance', 'coinbase', 'ondo', 'st0x', 'xstocks']
const networks = [
  'arbitrum',
  'base',
  'binance',
  'cronos',
  'ethereum',
  'hypercore',
  'hyperevm',
  'mantle',
  'robinhood',
  'solana',
  'ton',
  'tron',
] as const

export const requiredOrInvalid = (value: unknown, path: string): string =>
  value === undefined || value === null || value === '' ? `${path} is required` : `invalid ${path}`

const issuerName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const anyIssuer = text({ max: 64, pattern: issuerName })

export const TokenizationIssuer: Shape<string> = named(
  'TokenizationIssuer',
  shape({
    parse: anyIssuer.message(requiredOrInvalid).parse,
    json: () => ({ anyOf: [{ type: 'string', enum: knownIssuers }, anyIssuer.json()] }),
  }),
)
export const TokenizationNetwork = named('TokenizationNetwork', oneOf(...networks).message(requiredOrInvalid))
export const TokenizationRequestType = named(
  'TokenizationRequestType',
  oneOf('mint', 'redeem').message(requiredOrInvalid),
)
export const TokenizationRequestStatus = named(
  'TokenizationRequestStatus',
  oneOf('pending', 'rejected', 'completed').message(requiredOrInvalid),
)

export const printable = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** Digits, with a point between digits or none. No other format, because the text is echoed, compared and sent to the issuer. */
const digits = /^\d+(?:\.\d+)?$/
const placesMax = 9

/** A number of shares. The text is kept as written: `1.0` stays `1.0`. */
export const quantity = (): Shape<string, string | number> =>
  shape<string, string | number>({
    parse: (value, path, problems) => {
      const written = typeof value === 'number' ? plainDecimal(value) : value
      const plain = plainDecimal(written)
      if (plain === undefined || typeof written !== 'string' || !digits.test(written)) {
        problems.push({ field: path, message: requiredOrInvalid(value, path) })
        return ''
      }
      const places = written.split('.')[1]?.length ?? 0
      if (!isPositive(plain)) problems.push({ field: path, message: 'qty must be > 0' })
      else if (places > placesMax) problems.push({ field: path, ...tooPrecise })
      return written
    },
    json: () => ({
      title: 'decimal',
      type: ['string', 'number'],
      pattern: digits.source,
      examples: ['1.50'],
    }),
  })

const tooPrecise = {
  error: 'tokenizationQuantityPrecision',
  message: `qty must have at most ${placesMax} decimal places`,
}

export const TokenizationMintRequest = record({
  underlying_symbol: text({ min: 1, max: 64 }).message(requiredOrInvalid),
  qty: quantity().about('Number of shares, at most 9 decimals.'),
  issuer: TokenizationIssuer,
  network: TokenizationNetwork,
  wallet_address: text({ max: 128, pattern: printable }).message(requiredOrInvalid),
  client_request_id: optional(
    text({ min: 1, max: 128, pattern: printable }).message(requiredOrInvalid),
  ).about('Your own label, echoed in responses. Need not be unique.'),
}).named('TokenizationMintRequest')

export const requestFields = {
  tokenization_request_id: uuid(),
  created_at: timestamp(),
  type: TokenizationRequestType,
  status: TokenizationRequestStatus,
  underlying_symbol: text(),
  token_symbol: text(),
  qty: text().about('Shares, as written in the request.'),
  issuer: TokenizationIssuer,
  network: TokenizationNetwork,
  wallet_address: text(),
  client_request_id: optional(text()),
}

export const TokenizationMintResponse = record(requestFields).named('TokenizationMintResponse')

export const TokenizationRequestShape = record({
  ...requestFields,
  updated_at: nullable(timestamp()),
  tx_hash: nullable(text()),
  fees: nullable(decimalText()).about('In USD.'),
  reason: optional(text()).about('Why the request was rejected; absent for other statuses.'),
  issuer_request_id: optional(nullable(text())).about('Only for the issuer.'),
  client_account_id: optional(uuid()).about('Only for the issuer: account id of the participant.'),
  client_external_account_id: optional(text()),
}).named('TokenizationRequest')

/** A date is not an instant, because the time zone is unknown. */
const instant = (): Shape<MomentText, SentTime> =>
  shape({
    parse: moment()
      .where(({ date }) => date === undefined, '')
      .message((_, path) => `failed to parse ${path}`).parse,
    json: timestamp().json,
  })

export const requestFilters = record({
  type: optional(TokenizationRequestType),
  status: optional(TokenizationRequestStatus),
  underlying_symbol: optional(text({ max: 64 })),
  underlyingSymbol: optional(text({ max: 64 })).about('Alternative spelling of underlying_symbol.'),
  issuer: optional(TokenizationIssuer),
  network: optional(TokenizationNetwork),
  after: optional(instant()).about('Created after this time (exclusive). Empty: no bound.'),
  before: optional(instant()).about('Created before this time (exclusive). Empty: no bound.'),
  limit: optional(integer({ min: 1, max: 10_000 })).about('Default: all, at most 10,000.'),
})

export const TokenizationToken = record({
  issuer: TokenizationIssuer,
  underlying_symbol: text(),
  token_symbol: text(),
  network: TokenizationNetwork,
  shares_per_token: text().about('As a fraction; 1/1 before any split.'),
  redemption_wallet: nullable(text()).about(
    'Wallet that redeems tokens sent to it. null: the issuer has none.',
  ),
  contract_address: nullable(text()).about(
    'Contract of a token that Quipu mints on a real chain. null before the first mint, and for other tokens.',
  ),
  decimals: nullable(integer({ min: 0 })).about('Decimals of the contract.'),
}).named('TokenizationToken')

export const tokenFilters = record({
  underlying_symbol: optional(text({ max: 64 })),
  issuer: optional(TokenizationIssuer),
  network: optional(TokenizationNetwork),
})

/** Errors of an idempotency key and of the quantity beside it. */
export const issuerKeyErrors = [
  ...errorsOfKey,
  'tokenizationQuantityPrecision',
  'idempotencyKeyOfRejected',
] as const

export const mintErrors = [
  ...issuerKeyErrors,
  'tokenizationNotSupported',
  'tokenizationBlocked',
  'tokenNotSupported',
  'tokenActionPending',
  'tokenQuantityNotMultiple',
  'walletAddressInvalid',
  'tokenizationNoPosition',
  'tokenizationInsufficientPosition',
  'issuerRefused',
] as const

export const tokenRequestId = uuid().message('tokenization_request_id must be a valid UUID')
export const label = text({ min: 1, max: 128, missing: 'client_request_id query parameter is required' })

const shared = { family: 'tokenization', who: ['account'] } as const
export const sharedErrors = ['unauthorizedTokenization', 'forbidden', 'invalidTokenizationParameter'] as const

export const tokenization = {
  postTokenizationMint: operation('POST /v2/tokenization/mint', shared, {
    summary: 'Request a mint of tokens for shares, into a wallet.',
    scope: 'tokenization',
    headers: keyHeader,
    body: TokenizationMintRequest,
    output: TokenizationMintResponse,
    errors: [...sharedErrors, ...mintErrors],
  }),
  getTokenizationTokens: operation('GET /v2/tokenization/tokens', shared, {
    summary: 'List tokens that the account can mint, with contracts and redemption wallets.',
    scope: 'read',
    query: tokenFilters,
    output: array(TokenizationToken),
    errors: sharedErrors,
  }),
  getTokenizationRequests: operation('GET /v2/tokenization/requests', shared, {
    summary: 'List mint and redeem requests of the account, newest first.',
    scope: 'read',
    query: requestFilters,
    output: array(TokenizationRequestShape),
    errors: sharedErrors,
  }),
  getTokenizationRequest: operation('GET /v2/tokenization/requests/{tokenization_request_id}', shared, {
    summary: 'Get a request by id.',
    scope: 'read',
    params: record({ tokenization_request_id: tokenRequestId }),
    output: TokenizationRequestShape,
    errors: [...sharedErrors, 'tokenizationRequestNotFound'],
  }),
  getTokenizationRequestByClientRequestID: operation(
    'GET /v2/tokenization/requests:by_client_request_id',
    shared,
    {
      summary: 'Get the newest mint request with this client_request_id.',
      scope: 'read',
      query: record({ client_request_id: label }),
      output: TokenizationRequestShape,
      errors: [...sharedErrors, 'tokenizationRequestNotFound'],
    },
  ),
}
