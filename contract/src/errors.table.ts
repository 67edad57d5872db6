/**
 * Every refusal: one status, one integer code, one message. `{word}` in a message is filled from the
 * refusal's words; `fields` stand beside the message in the body, as text: wire name → the refusal's word.
 */
export type ErrorRow = {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly when: string
  readonly fields?: Readonly<Record<string, string>>
}

export const errors = {
  // Any route.
  unauthorized: {
    status: 401,
    code: 40110000,
    message: 'unauthorized.',
    when: 'no credentials or wrong ones; also a known one of the wrong kind on /v1',
  },
  unauthorizedTokenization: {
    status: 401,
    code: 40110000,
    message: 'unauthorized',
    when: 'no credentials or wrong ones on a tokenization route',
  },
  insufficientScope: {
    status: 401,
    code: 40110000,
    message: 'token is not authorized for this scope',
    when: 'an OAuth token that was not granted the scope the operation needs; 403 forbidden on tokenization',
  },
  forbidden: {
    status: 403,
    code: 40310000,
    message: 'forbidden',
    when: 'a known credential of a kind that may not call this',
  },
  hostNotAllowed: {
    status: 403,
    code: 40310000,
    message: 'host "{host}" is not served here',
    when: 'on loopback, a Host header that is neither ours nor an official name',
  },
  endpointNotFound: { status: 404, code: 40410000, message: 'endpoint not found', when: 'no such route' },
  methodNotAllowed: {
    status: 405,
    code: 40510000,
    message: 'method {method} is not allowed here; allowed: {allowed}',
    when: 'the path exists, with other methods',
  },
  requestTimeout: {
    status: 408,
    code: 40810000,
    message: 'the request did not arrive in time',
    when: 'headers or body came too slowly',
  },
  bodyTooLarge: {
    status: 413,
    code: 41310000,
    message: 'the body is larger than {limit} bytes',
    when: 'the body passes its limit',
    fields: { limit: 'limit' },
  },
  unsupportedMediaType: {
    status: 415,
    code: 41510000,
    message: 'expected {expected}, received {received}',
    when: 'the body is neither JSON nor, where allowed, a form',
  },
  headersTooLarge: {
    status: 431,
    code: 43110000,
    message: 'the headers are too large',
    when: 'the headers pass their limit',
  },
  badRequest: {
    status: 400,
    code: 40010000,
    message: 'the request is not HTTP as we read it',
    when: 'bytes that no HTTP parser accepts',
  },
  bodyNotJson: {
    status: 400,
    code: 40010000,
    message: 'failed to decode request body',
    when: 'the body is not JSON',
  },
  pathNotDecodable: {
    status: 400,
    code: 40010000,
    message: 'failed to decode request path',
    when: 'a path with a broken percent sequence',
  },
  tooManyRequests: {
    status: 429,
    code: 42910000,
    message: 'too many requests',
    when: 'the rate limit of this key is used up; Retry-After says when to come back',
  },
  tooManyGuesses: {
    status: 429,
    code: 42910000,
    message: 'too many wrong credentials from this address',
    when: 'wrong credentials came too often from one address; Retry-After says when they are looked at again',
  },
  internal: { status: 500, code: 50010000, message: 'internal server error', when: 'a bug of ours' },
  queueFull: {
    status: 503,
    code: 50310000,
    message: 'the world is busy; nothing was applied',
    when: 'the command queue is full; Retry-After says when to come back',
  },
  notApplied: {
    status: 503,
    code: 50310001,
    message: 'the command was not applied',
    when: 'the journal refused it and certainly holds nothing of it',
  },
  worldStopped: {
    status: 503,
    code: 50310002,
    message: 'the world is being rebuilt from its journal; nothing was applied',
    when: 'a world after a failed append, until it is back',
  },
  notReady: {
    status: 503,
    code: 50310005,
    message: 'not ready: {problem}',
    when: 'the server is starting, or a world is being rebuilt',
  },
  viewsBehind: {
    status: 503,
    code: 50310003,
    message: 'the query tables are behind; nothing was applied',
    when: 'the lag of the views passed its limit',
  },
  shuttingDown: {
    status: 503,
    code: 50310004,
    message: 'the server is stopping; nothing was applied',
    when: 'a request after the stop began',
  },
  readersFull: {
    status: 503,
    code: 50310007,
    message: 'too many answers stay open; at most {limit} may',
    when: 'one more request for text/event-stream than the limit allows; Retry-After says when to come back',
  },
  upstreamUnavailable: {
    status: 503,
    code: 50310006,
    message: 'the market data provider {problem}',
    when: 'market data of a provider that refuses us, is too slow or cannot be reached; Retry-After says when to come back',
  },

  // Parameters; the message names the field.
  invalidParameter: {
    status: 422,
    code: 40010001,
    message: '{problem}',
    when: 'a missing or invalid parameter',
  },
  invalidDataParameter: {
    status: 400,
    code: 40010001,
    message: '{problem}',
    when: 'a missing or invalid parameter of market data',
  },

  invalidTokenizationParameter: {
    status: 422,
    code: 42210001,
    message: '{problem}',
    when: 'missing or invalid parameters of tokenization; all of them are told',
  },

  // Orders, in the order they are checked.
  clientOrderIdTaken: {
    status: 422,
    code: 40010001,
    message: 'client_order_id must be unique',
    when: 'an earlier order of the account, open or ended, has this id',
  },
  assetNotFound: {
    status: 422,
    code: 42210000,
    message: 'asset "{symbol}" not found',
    when: 'an order for an unknown symbol',
  },
  assetNotTradable: {
    status: 422,
    code: 42210000,
    message: 'asset "{symbol}" is not tradable',
    when: 'an order for an asset that may not be traded',
  },
  subPenny: {
    status: 422,
    code: 42210000,
    message: 'invalid limit_price {price}. sub-penny increment does not fulfill minimum pricing criteria',
    when: 'a price finer than cents (from 1.00) or hundredths of a cent (below)',
  },
  fractionalMustBeDay: {
    status: 422,
    code: 42210000,
    message: 'fractional orders must be DAY orders',
    when: 'a fractional or notional order that is not day',
  },
  assetNotFractionable: {
    status: 403,
    code: 40310000,
    message: 'asset "{symbol}" is not fractionable',
    when: 'a fractional order for an asset that trades whole',
  },
  extendedMustBeLimit: {
    status: 422,
    code: 42210000,
    message: 'extended hours order must be DAY or GTC limit orders',
    when: 'extended_hours with another type or time in force',
  },
  orderTypeNotSupported: {
    status: 422,
    code: 42210000,
    message: 'orders of type {type} are not supported',
    when: 'a type of the protocol this server does not trade yet',
  },
  timeInForceNotSupported: {
    status: 422,
    code: 42210000,
    message: 'time_in_force {timeInForce} is not supported',
    when: 'a time in force of the protocol this server does not trade yet',
  },
  notionalNotSupported: {
    status: 422,
    code: 42210000,
    message: 'notional orders are not supported; give qty',
    when: 'an order sized in money, which this server does not trade yet',
  },
  orderClassNotSupported: {
    status: 422,
    code: 42210000,
    message: 'order_class {orderClass} is not supported',
    when: 'an order class of the protocol this server does not trade yet',
  },
  positionIntentMismatch: {
    status: 422,
    code: 42210000,
    message: 'position intent mismatch, inferred: {inferred}, specified: {specified}',
    when: 'position_intent differs from what the order would do',
  },
  accountNotAllowedToTrade: {
    status: 403,
    code: 40310000,
    message: 'account is not authorized to trade',
    when: "an order from the account that keeps the shares behind an issuer's tokens",
  },
  shortingNotAllowed: {
    status: 403,
    code: 40310000,
    message: 'account is not allowed to short',
    when: 'a short sale from an account without margin or with shorting switched off',
  },
  insufficientQuantity: {
    status: 403,
    code: 40310000,
    message: 'insufficient qty available for order (requested: {requested}, available: {available})',
    when: 'a sell beyond what is held and free',
    fields: {
      symbol: 'symbol',
      existing_qty: 'existingQty',
      held_for_orders: 'heldForOrders',
      available: 'available',
    },
  },
  insufficientBuyingPower: {
    status: 403,
    code: 40310000,
    message: 'insufficient buying power',
    when: 'the order costs more than the account may spend',
    fields: { buying_power: 'buyingPower', cost_basis: 'costBasis' },
  },
  noPrice: {
    status: 403,
    code: 40310000,
    message: 'no price is known for "{symbol}"',
    when: 'a market order before the first quote of its symbol',
  },
  orderNotFound: {
    status: 404,
    code: 40410000,
    message: 'order not found for {id}',
    when: 'no order of the account has this id',
  },
  orderAlreadyTerminal: {
    status: 422,
    code: 42210000,
    message: 'order is already in "{status}" state',
    when: 'a cancel of an order that has ended',
  },
  cannotReplaceIn: {
    status: 422,
    code: 42210000,
    message: 'cannot replace order in {status} status',
    when: 'a replacement of an order that is not working',
  },
  positionNotFound: {
    status: 404,
    code: 40410000,
    message: 'position does not exist',
    when: 'the account holds nothing of this symbol',
  },
  assetUnknown: {
    status: 404,
    code: 40410000,
    message: 'asset not found for {symbol}',
    when: 'no asset has this symbol or id',
  },

  watchlistNotFound: {
    status: 404,
    code: 40410000,
    message: 'watchlist not found: {watchlist}',
    when: 'no watchlist of the account has this id or name',
  },
  watchlistNameTaken: {
    status: 422,
    code: 40010001,
    message: 'watchlist name must be unique',
    when: 'another watchlist of the account has this name',
  },
  watchlistHasSymbol: {
    status: 422,
    code: 42210000,
    message: 'symbol {symbol} is in the watchlist already',
    when: 'an asset is added to a watchlist that has it',
    fields: { symbol: 'symbol' },
  },
  watchlistLacksSymbol: {
    status: 404,
    code: 40410000,
    message: 'symbol {symbol} is not in the watchlist',
    when: 'an asset is taken out of a watchlist that does not have it',
    fields: { symbol: 'symbol' },
  },
  watchlistFull: {
    status: 422,
    code: 42210000,
    message: 'a watchlist may have at most {limit} symbols',
    when: 'one symbol more than the limit in a watchlist',
    fields: { limit: 'limit' },
  },
  watchlistLimitReached: {
    status: 403,
    code: 40310000,
    message: 'there are {limit} watchlists, the most there may be; delete one first',
    when: 'one watchlist more than the limit in an account',
    fields: { limit: 'limit' },
  },
  marketNotKnown: {
    status: 400,
    code: 40010001,
    message: 'the days of market {market} are not known here; known are {known}',
    when: 'a clock or calendar of a market other than those of the United States',
  },
  outsideCalendar: {
    status: 400,
    code: 40010001,
    message: 'time: expected an instant from 1970 to 2050',
    when: 'a clock for a time no calendar reaches',
  },

  // Market data.
  endBeforeStart: {
    status: 400,
    code: 40010001,
    message: 'end should not be before start',
    when: 'a range that runs backwards',
  },
  invalidPageToken: {
    status: 400,
    code: 40010001,
    message: 'invalid page_token',
    when: 'a page token that we did not make, or for other parameters',
  },
  currencyNotSupported: {
    status: 400,
    code: 40010001,
    message: 'currency {currency} is not supported; prices are in USD',
    when: 'prices in another currency are asked for',
  },
  symbolNotFound: {
    status: 404,
    code: 40410000,
    message: 'symbol not found: {symbol}',
    when: 'the latest price of a symbol nobody listed',
  },
  logoNotFound: {
    status: 404,
    code: 40410000,
    message: 'logo not found: {symbol}',
    when: 'a logo without a placeholder: there are none',
  },

  // OAuth, partner side. One 401 for every doubt about the app, so that nobody can probe.
  oauthClientRefused: {
    status: 401,
    code: 40110000,
    message: 'unauthorized.',
    when: "the app does not exist, is disabled, is not the caller's, or its secret is wrong",
  },
  oauthRedirectUriInvalid: {
    status: 422,
    code: 42210000,
    message: 'redirect_uri is invalid',
    when: "the redirect URI is missing or not one of the app's",
  },
  oauthScopeInvalid: {
    status: 422,
    code: 42210000,
    message: 'scope is invalid',
    when: 'the scope is missing, unknown, or more than the app may ask for',
  },
  oauthAccountInvalid: {
    status: 422,
    code: 42210000,
    message: 'account_id is invalid',
    when: "the account is missing, unknown, or another partner's",
  },
  oauthCodeInvalid: {
    status: 400,
    code: 40010000,
    message: 'the code cannot be exchanged',
    when: 'a code that is unknown, expired, used or for another app or redirect URI; told as `invalid_grant`',
  },

  // Tokenization.
  tokenizationRequestNotFound: {
    status: 404,
    code: 40410000,
    message: 'tokenization request not found',
    when: 'no request of the calling account has this id or label',
  },
  tokenizationNotSupported: {
    status: 400,
    code: 40010000,
    message: 'account is not supported for tokenization by {issuer}',
    when: 'the account is not linked to the issuer as authorized participant',
  },
  tokenActionPending: {
    status: 409,
    code: 40910000,
    message: 'a corporate action of {symbol} lies ahead: until then it cannot be minted',
    when: 'a mint of shares that are about to be split, renamed or delisted',
  },
  tokenNotSupported: {
    status: 422,
    code: 42210001,
    message: '{symbol} is not supported for tokenization by {issuer} on {network}',
    when: 'the issuer lists no token of this share on this network',
  },
  tokenizationNoPosition: {
    status: 400,
    code: 40010000,
    message: 'no positions found for account {accountNumber} and symbol {symbol}',
    when: 'a mint of a share the account does not hold',
  },
  tokenizationInsufficientPosition: {
    status: 400,
    code: 40010000,
    message: 'insufficient position quantity for {symbol} (requested: {requested}, available: {available})',
    when: 'a mint of more than is held, settled and free',
    fields: { symbol: 'symbol', available: 'available' },
  },
  tokenizationQuantityPrecision: {
    status: 400,
    code: 40010000,
    message: '{problem}',
    when: 'a quantity with more than nine decimal places',
  },
  issuerNotFound: {
    status: 404,
    code: 40410000,
    message: 'issuer not found: {issuer}',
    when: 'no issuer of the world has this name',
  },
  issuerAccountUnfit: {
    status: 409,
    code: 40910000,
    message: 'the account of an issuer must be new, its own, and no participant',
    when: 'an issuer with an account that trades, or a link of such an account',
  },
  walletAddressInvalid: {
    status: 422,
    code: 42210001,
    message: 'invalid wallet address for network {network}',
    when: 'the address cannot exist on the network',
  },
  issuerRefused: {
    status: 400,
    code: 40010000,
    message: '{text}',
    when: "the issuer refused the mint; the message is the issuer's",
  },
  idempotencyKeyMalformed: {
    status: 400,
    code: 40010000,
    message: 'Idempotency-Key must be 1 to 128 printable ASCII characters without spaces',
    when: 'the Idempotency-Key header cannot be used',
  },
  idempotencyKeyReused: {
    status: 422,
    code: 42210001,
    message: 'Idempotency-Key was already used with a different body',
    when: 'the same key with another body',
  },
  idempotencyKeyOfRejected: {
    status: 400,
    code: 40010000,
    message: 'the request with this Idempotency-Key was rejected; use a new key',
    when: 'a replay of a request that was rejected',
  },

  // Worlds and keys.
  worldNotFound: { status: 404, code: 40410000, message: 'world not found: {world}', when: 'no such world' },
  assetTaken: {
    status: 409,
    code: 40910000,
    message: 'there is an asset {symbol} already',
    when: 'a new asset under a symbol in use',
    fields: { symbol: 'symbol' },
  },
  assetSymbolInvalid: {
    status: 422,
    code: 42210001,
    message: 'symbol: expected a stock such as SOFI or BRK.B, or a pair such as PEPE/USD, received {symbol}',
    when: 'a new asset under a symbol that no market has',
  },
  assetPriceInvalid: {
    status: 422,
    code: 42210001,
    message: 'price: expected from 0.02 to 1000000 dollars',
    when: 'a new asset at a price no tape can have',
  },
  weatherInvalid: {
    status: 422,
    code: 42210001,
    message: '{field}: {rule}',
    when: 'weather that cannot be as it is described',
  },
  weatherInPast: {
    status: 422,
    code: 42210000,
    message: 'it would begin at {begins}, but what happens until {now} is settled',
    when: 'weather for a time that is over',
  },
  actionInvalid: {
    status: 422,
    code: 42210001,
    message: '{field}: {rule}',
    when: 'a corporate action that cannot be as it is described',
  },
  actionOnTokens: {
    status: 409,
    code: 40910000,
    message: 'there are tokens of {symbol}, or mints under way: its shares cannot be changed',
    when: 'a split, symbol change or delisting of shares that stand behind tokens',
  },
  actionNotFound: {
    status: 404,
    code: 40410000,
    message: 'corporate action not found for {id}',
    when: 'no corporate action of the world has this id',
  },
  actionAlreadyApplied: {
    status: 409,
    code: 40910000,
    message: 'corporate action {id} has happened, or is about to',
    when: 'taking a corporate action back after its moment, or in the last minute before it',
  },
  tooManyActions: {
    status: 403,
    code: 40310000,
    message: 'there are {limit} corporate actions, the most there may be',
    when: 'the limit of corporate actions of a world is reached',
  },
  worldTaken: {
    status: 409,
    code: 40910000,
    message: 'a world named {world} exists',
    when: 'a new world under a name in use',
  },
  worldLimitReached: {
    status: 403,
    code: 40310000,
    message: 'there are {limit} worlds, the most there may be; delete one first',
    when: 'the limit of worlds is reached',
    fields: { limit: 'limit' },
  },
  mainNotDeletable: {
    status: 409,
    code: 40910000,
    message: 'main cannot be deleted',
    when: 'a delete of the world that is always there',
  },
  mainClockNotSteerable: {
    status: 409,
    code: 40910000,
    message: 'main runs on the wall clock; make a world to steer with POST /sim/v1/worlds',
    when: 'steering the clock of main',
  },
  instantInPast: {
    status: 422,
    code: 42210000,
    message: 'the clock is at {now} and does not run back to {to}',
    when: 'an advance to an instant already passed',
  },
  advanceTooLong: {
    status: 422,
    code: 42210000,
    message: 'an advance may span at most {limit}',
    when: 'an advance beyond its limit',
    fields: { limit: 'limit' },
  },
  accountNotFound: {
    status: 404,
    code: 40410000,
    message: 'account not found',
    when: 'no account of the world has this id',
  },
  accountIsClosed: {
    status: 409,
    code: 40910000,
    message: 'account is closed',
    when: 'anything that would change an account that was closed',
  },
  accountIdReused: {
    status: 409,
    code: 40910000,
    message: 'client_account_id was already used for an account with other content',
    when: 'the same client_account_id with another body',
  },
  accountDetailsTooLarge: {
    status: 422,
    code: 42210000,
    message: 'what is told of an account may be at most {limit} characters of JSON',
    when: 'contact, identity and all other fields of an account together pass their limit',
    fields: { limit: 'limit' },
  },
  positionRepeated: {
    status: 422,
    code: 42210000,
    message: 'positions: {symbol} stands there twice',
    when: 'a list of positions that names a symbol twice',
    fields: { symbol: 'symbol' },
  },
  accountKeepsCustody: {
    status: 409,
    code: 40910000,
    message: "the account keeps the shares behind an issuer's tokens",
    when: 'shares to or from the account of an issuer, or its reset or close',
  },
  mintsUnderWay: {
    status: 409,
    code: 40910000,
    message: 'tokenization requests are under way: {count}; wait until they have ended',
    when: 'a reset or close of an account whose shares are being tokenized',
    fields: { count: 'count' },
  },
  accountNotEmpty: {
    status: 409,
    code: 40910000,
    message: 'account has positions ({positions}) or open orders ({openOrders})',
    when: 'a close of an account that still holds or wants something, unless it may be emptied',
    fields: { positions: 'positions', open_orders: 'openOrders' },
  },
  accountOwes: {
    status: 409,
    code: 40910000,
    message: 'account owes {owed}; deposit it first',
    when: 'a close of an account whose cash is negative',
    fields: { owed: 'owed' },
  },
  insufficientWithdrawable: {
    status: 403,
    code: 40310000,
    message: 'insufficient withdrawable cash (requested: {amount}, available: {withdrawable})',
    when: 'a withdrawal or a cash journal of more than is settled, free and not needed as margin',
    fields: { amount: 'amount', cash_withdrawable: 'withdrawable' },
  },
  insufficientShares: {
    status: 403,
    code: 40310000,
    message: 'insufficient shares of {symbol} (requested: {requested}, available: {available})',
    when: 'a share journal of more than is held and free',
    fields: { symbol: 'symbol', available: 'available' },
  },
  receiverIsShort: {
    status: 422,
    code: 42210000,
    message: 'to_account is short of {symbol}',
    when: 'a share journal to an account that has sold the same share short',
    fields: { symbol: 'symbol' },
  },
  journalToSelf: {
    status: 422,
    code: 42210000,
    message: 'from_account and to_account are the same',
    when: 'a journal from an account to itself',
  },
  journalAcrossPartners: {
    status: 422,
    code: 42210000,
    message: 'from_account and to_account belong to different partners',
    when: 'a journal of an operator between accounts of two partners',
  },
  journalNotFound: {
    status: 404,
    code: 40410000,
    message: 'journal not found',
    when: 'no journal of the caller has this id',
  },
  partnerNotFound: {
    status: 404,
    code: 40410000,
    message: 'partner not found',
    when: 'no partner of the world has this id',
  },
  personNotFound: {
    status: 404,
    code: 40410000,
    message: 'person not found',
    when: 'no person of the world has this id',
  },
  keyNotFound: {
    status: 404,
    code: 40410000,
    message: 'key not found: {keyId}',
    when: 'no key of the world has this id',
  },
  keyTaken: {
    status: 409,
    code: 40910000,
    message: 'key {keyId} belongs to someone else',
    when: 'a given key id that another owner has',
  },
  worldAlreadyOpen: {
    status: 409,
    code: 40910000,
  requestUnknown: {
    status: 404,
    code: 40410000,
    message: 'request {id} is not remembered and caused nothing',
    when: 'a request id that is none, or of a request that newer ones have taken the place of',
  },
  socketNotFound: {
    status: 404,
    code: 40410000,
    message: 'no open stream {id}',
    when: 'no stream of the world has this id',
  },
    message: 'the world is open already',
    when: 'a world is opened twice',
  },
} as const satisfies Record<string, ErrorRow>

export type ErrorName = keyof typeof errors

/** The public token endpoint speaks RFC 6749: `{error, error_description}`, with code and message beside them. */
export type OAuthErrorRow = {
  readonly status: number
  readonly code: number
  readonly description: string
  readonly when: string
}

export const oauthErrors = {
  invalid_request: {
    status: 400,
    code: 40010000,
    description: 'a required parameter is missing or repeated',
    when: 'grant_type, code or redirect_uri is missing',
  },
  invalid_client: {
    status: 401,
    code: 40110000,
    description: 'client authentication failed',
    when: 'client_id or client_secret is missing or wrong, or the app is disabled',
  },
  invalid_grant: {
    status: 400,
    code: 40010000,
    description: 'the code is invalid, expired, used, or was issued for another client or redirect_uri',
    when: 'the code cannot be exchanged',
  },
  unsupported_grant_type: {
    status: 400,
    code: 40010000,
    description: 'expected grant_type authorization_code',
    when: 'another grant_type',
  },
} as const satisfies Record<string, OAuthErrorRow>

export type OAuthErrorName = keyof typeof oauthErrors
