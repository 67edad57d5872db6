/**
 * Every error: one status, one integer code, one message. `{name}` in a message is filled with a value of the
 * refusal. `fields` are further fields of the body, as text: name in the body → name of the value.
 */
export type ErrorRow = {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly when: string
  /** The `code` in the body where the protocol has a text in place of a number. */
  readonly textCode?: string
  readonly fields?: Readonly<Record<string, string>>
}

/** The first three digits of the code are the status, unless `special` has another status. */
const error = (
  code: number,
  message: string,
  special?: Partial<Pick<ErrorRow, 'status' | 'textCode' | 'fields'>>,
) => ({
  when: (when: string): ErrorRow => ({ status: Math.floor(code / 100_000), code, message, when, ...special }),
})

export const errors = {
  // Any route.
  unauthorized: error(40110000, 'unauthorized.').when(
    'missing or wrong credentials; also credentials of the wrong kind on /v1',
  ),
  unauthorizedTokenization: error(40110000, 'unauthorized').when(
    'missing or wrong credentials on a tokenization route',
  ),
  insufficientScope: error(40110000, 'token is not authorized for this scope').when(
    'the OAuth token lacks the scope of the operation; 403 forbidden on tokenization routes',
  ),
  forbidden: error(40310000, 'forbidden').when('valid credentials of a kind that may not call the operation'),
  hostNotAllowed: error(40310000, 'host "{host}" is not served here').when(
    'on loopback: a Host header that is neither local nor an official Alpaca host',
  ),
  crossSite: error(40310000, 'cross-origin request refused; allow the origin with QUIPU_CORS').when(
    'a browser page of another origin sends a change or opens a stream',
  ),
  endpointNotFound: error(40410000, 'endpoint not found').when('no such route'),
  methodNotAllowed: error(40510000, 'method {method} is not allowed here; allowed: {allowed}').when(
    'the path exists, but not with this method',
  ),
  requestTimeout: error(40810000, 'the request did not arrive in time').when(
    'headers or body arrive too slowly',
  ),
  bodyTooLarge: error(41310000, 'the body is larger than {limit} bytes', { fields: { limit: 'limit' } }).when(
    'the body is larger than the limit',
  ),
  unsupportedMediaType: error(41510000, 'expected {expected}, received {received}').when(
    'the body is neither JSON nor, where allowed, a form',
  ),
  headersTooLarge: error(43110000, 'the headers are too large').when('the headers are larger than the limit'),
  badRequest: error(40010000, 'malformed HTTP request').when('the HTTP parser refuses the request'),
  severalHosts: error(40010000, 'expected one Host header, received several').when(
    'a request with more than one Host header',
  ),
  bodyNotJson: error(40010000, 'failed to decode request body').when('the body is not JSON'),
  pathNotDecodable: error(40010000, 'failed to decode request path').when(
    'a path with an invalid percent sequence',
  ),
  tooManyRequests: error(42910000, 'too many requests').when(
    'the rate limit of the key, of the app and account, or of the address is used up; see Retry-After',
  ),
  tooManyBodyBytes: error(
    42910000,
    'too many bytes in large request bodies of this key or address (large_body_bytes_per_minute: {limit})',
  ).when('more bytes in bodies above 16 KiB than large_body_bytes_per_minute; see Retry-After'),
  tooManyEventStreams: error(
    42910000,
    'too many open event streams of this key or account (event_streams_per_key: {limit})',
  ).when('more event streams of one key or account than event_streams_per_key; see Retry-After'),
  tooManyFailedAttempts: error(42910000, 'too many wrong credentials').when(
    'too many failed attempts from one address, or for one app, user or key; see Retry-After',
  ),
  faultBadGateway: error(50210000, 'bad gateway').when('a fault rule with the status 502'),
  faultUnavailable: error(50310013, 'service unavailable').when(
    'a fault rule with the status 503; see Retry-After',
  ),
  faultGatewayTimeout: error(50410000, 'gateway timeout').when('a fault rule with the status 504'),
  internal: error(50010000, 'internal server error').when('a bug in the server'),
  queueFull: error(50310000, 'the world is busy; nothing was applied').when(
    'the command queue is full; see Retry-After',
  ),
  notApplied: error(50310001, 'the command was not applied').when(
    'the journal refused the command and stored no part of it',
  ),
  worldStopped: error(50310002, 'the world is being rebuilt from its journal; nothing was applied').when(
    'the world is being rebuilt after a failed journal write',
  ),
  notReady: error(50310005, 'not ready: {problem}').when('the server is starting, or main is being rebuilt'),
  queryTablesBehind: error(50310003, 'the query tables are behind the journal; nothing was applied').when(
    'the query tables are too far behind the journal',
  ),
  shuttingDown: error(50310004, 'the server is stopping; nothing was applied').when(
    'the server is shutting down',
  ),
  eventStreamsFull: error(50310007, 'too many open event streams (limit {limit})').when(
    'more event streams than the limit; see Retry-After',
  ),
  diskFull: error(50310010, 'the disk is full; nothing was applied').when(
    'the disk of the data folder is full; reads still work',
  ),
  responsesUnread: error(
    50310008,
    'too many response bytes wait for clients to read them; nothing was applied',
  ).when('the limit of unread response bytes is reached; see Retry-After'),
  upstreamUnavailable: error(50310006, 'the market data provider {problem}').when(
    'the market data provider refuses the request, is too slow or is unreachable; see Retry-After',
  ),
  dataUnreadable: error(50310012, 'imported data cannot be read: {problem}').when(
    'files of imported data are missing or damaged, or an import replaced them during the read',
  ),

  readerStopped: error(50310014, 'the thread that reads market history ended; nothing was applied').when(
    'a thread that reads market history ended during the request; see Retry-After',
  ),

  // Parameters; the message names the field.
  invalidParameter: error(40010001, '{problem}', { status: 422 }).when('a missing or invalid parameter'),
  invalidDataParameter: error(40010001, '{problem}').when('a missing or invalid parameter of market data'),
  invalidTokenizationParameter: error(42210001, '{problem}').when(
    'missing or invalid parameters of tokenization; the message lists all of them',
  ),

  // Orders, in the sequence of the checks.
  clientOrderIdTaken: error(40010001, 'client_order_id must be unique', { status: 422 }).when(
    'an earlier order of the account, open or closed, has this id',
  ),
  assetNotFound: error(42210000, 'asset "{symbol}" not found').when('an order for an unknown symbol'),
  assetNotActive: error(40010001, 'asset {symbol} is not active', { status: 422 }).when(
    'an order for an asset that is no longer listed',
  ),
  assetNotTradable: error(42210000, 'asset "{symbol}" is not tradable').when(
    'an order for an asset that cannot be traded',
  ),
  subPenny: error(
    42210000,
    'invalid {field} {price}. sub-penny increment does not fulfill minimum pricing criteria',
  ).when('a price with more than 2 decimals, or more than 4 decimals below 1.00'),
  priceIncrement: error(42210000, 'invalid {field} {price}. it must be a multiple of {increment}').when(
    'a crypto price that is not a multiple of price_increment',
  ),
  fractionalMustBeDay: error(42210000, 'fractional orders must be DAY orders').when(
    'a fractional or notional order with another time in force',
  ),
  fractionalMustBeSimple: error(42210000, 'fractional orders must be simple orders').when(
    'a fractional or notional order with another order class',
  ),
  fractionalNotTrailing: error(42210000, 'fractional orders cannot be trailing_stop orders').when(
    'a fractional or notional trailing stop order',
  ),
  extendedMustBeLimit: error(42210000, 'extended hours order must be DAY or GTC limit orders').when(
    'extended_hours with another type or time in force',
  ),
  stopNotExtended: error(42210000, 'stop orders are not eligible for extended hours trading').when(
    'extended_hours with a stop, stop_limit or trailing_stop order',
  ),
  complexNotExtended: error(42210000, 'complex orders not supported for trading on extended hours').when(
    'extended_hours with a bracket, oco or oto order',
  ),
  timeInForceNotForType: error(42210000, 'invalid time_in_force {timeInForce} for {type} orders').when(
    'a stop, stop_limit or trailing_stop order that is neither day nor gtc',
  ),
  entryMustBeMarketOrLimit: error(42210000, '{class} orders must be market or limit orders').when(
    'a bracket or oto order with another entry type',
  ),
  ocoMustBeLimit: error(42210000, 'oco orders must be limit orders').when('an oco order of another type'),
  groupMustBeDayOrGtc: error(42210000, '{class} orders must be DAY or GTC orders').when(
    'a bracket, oco or oto order with another time in force',
  ),
  cryptoMustBeSimple: error(42210000, 'crypto orders not allowed for advanced order_class: {class}').when(
    'a bracket, oco or oto order for a crypto pair',
  ),
  cryptoOrderType: error(42210000, 'invalid order type for crypto order').when(
    'a stop or trailing_stop order for a crypto pair',
  ),
  cryptoTimeInForce: error(42210000, 'invalid crypto time_in_force').when(
    'a crypto order that is neither gtc nor ioc, or a stop_limit that is not gtc',
  ),
  stopBeyondMarket: error(42210000, 'stop price must be {relation} than current price').when(
    'a sell stop that is not below the last trade, or a buy stop that is not above it',
  ),
  trailPriceTooLarge: error(42210000, 'trail_price must be less than current price').when(
    'a trailing sell with a stop price of zero or less',
  ),
  exitsCrossed: error(42210000, 'take_profit.limit_price must be {relation} stop_loss.stop_price').when(
    'take_profit is on the losing side of stop_loss',
  ),
  exitTooNear: error(42210000, '{field} must be {relation} 0.01', {
    fields: { base_price: 'basePrice' },
  }).when(
    'an exit less than 0.01 from its base price: the limit of the entry or of the other exit, or the last trade',
  ),
  orderClassNotSupported: error(
    42210000,
    'order_class {orderClass} is not supported: options are not traded here',
  ).when('a multi-leg order'),
  positionIntentMismatch: error(
    42210000,
    'position intent mismatch, inferred: {inferred}, specified: {specified}',
  ).when('position_intent differs from the effect of the order'),
  groupMustOpen: error(42210000, '{class} orders must be entry orders').when(
    'a bracket or oto order that would close a position',
  ),
  ocoMustClose: error(42210000, 'oco orders must be exit orders').when(
    'an oco order that would open a position',
  ),
  fractionalNotShort: error(42210000, 'fractional orders cannot be sold short').when(
    'a fractional or notional short sale',
  ),
  assetNotShortable: error(42210000, 'asset "{symbol}" cannot be sold short').when(
    'a short sale of crypto, or of an asset that is not shortable or not easy to borrow',
  ),
  accountNotAllowedToTrade: error(40310000, 'account is not authorized to trade').when(
    'an order of a custody account',
  ),
  tradingBlocked: error(40310000, 'account is not authorized to trade').when(
    'an order, a replacement or a position close while trading or the whole account is blocked',
  ),
  tradingSuspended: error(40310000, 'new orders are rejected by user request').when(
    'suspend_trade of the account is on',
  ),
  fractionalTradingDisabled: error(40310000, 'fractional trading is disabled for this account').when(
    'a fractional or notional order while fractional_trading is off',
  ),
  assetNotFractionable: error(40310000, 'asset "{symbol}" is not fractionable').when(
    'a fractional order for an asset that trades in whole units',
  ),
  shortSellOpen: error(40310000, 'cannot open a long buy while a short sell order is open').when(
    'a buy that opens a position, while an opening sell is open',
  ),
  sharesInTransit: error(
    40310000,
    'a tokenization request for {symbol} is pending: {symbol} cannot be sold short until it ends',
  ).when('a short sale of shares with a pending tokenization request of the account'),
  longBuyOpen: error(40310000, 'cannot open a short sell while a long buy order is open').when(
    'a sell that opens a position, while an opening buy is open',
  ),
  closingOrdersOpen: error(
    40310000,
    'unable to open new notional orders while having open closing position orders',
  ).when('a notional closing order together with another closing order, in either sequence'),
  cryptoCostTooSmall: error(40310000, 'cost basis must be >= minimal amount of order {amount}').when(
    'a crypto order below the minimum value',
  ),
  cryptoCostTooLarge: error(40310000, 'cost basis must be <= maximal amount of order {amount}').when(
    'a crypto order above the maximum value',
  ),
  accountRestricted: error(40310000, 'account is restricted to liquidation only').when(
    'an opening order while one position is worth more than six times the equity, or a margin call is open',
  ),
  shortingNotAllowed: error(40310000, 'account is not allowed to short').when(
    'a short sale by an account without margin or with no_shorting on',
  ),
  insufficientQuantity: error(
    40310000,
    'insufficient qty available for order (requested: {requested}, available: {available})',
    {
      fields: {
        symbol: 'symbol',
        existing_qty: 'existingQty',
        held_for_orders: 'heldForOrders',
        available: 'available',
      },
    },
  ).when('a sell of more than the available quantity'),
  insufficientBalance: error(
    40310000,
    'insufficient balance for {symbol} (requested: {requested}, available: {available})',
    { fields: { symbol: 'symbol', balance: 'balance', available: 'available' } },
  ).when('a crypto order for more than the available settled dollars, or the available coins'),
  insufficientBuyingPower: error(40310000, 'insufficient buying power', {
    fields: { buying_power: 'buyingPower', cost_basis: 'costBasis' },
  }).when('the order costs more than the buying power'),
  noPrice: error(40310000, 'no price is known for "{symbol}"').when(
    'a market order before the first quote of its symbol',
  ),
  washTrade: error(40310000, 'potential wash trade detected. use complex orders', {
    fields: { existing_order_id: 'existingOrderId', reject_reason: 'rejectReason' },
  }).when('the order could trade with an open order of the same account'),
  tooLateForOpen: error(40310000, 'opg orders must be submitted after 7:00pm and before 9:28am').when(
    'an opg order on a trading day from 9:28 to 19:00 in New York',
  ),
  tooLateForClose: error(40310000, 'cls orders must be submitted after 7:00pm and before {before}').when(
    'a cls order on a trading day from ten minutes before the close to 19:00 in New York',
  ),
  orderNotFound: error(40410000, 'order not found for {id}').when('no order of the account has this id'),
  orderAlreadyTerminal: error(42210000, 'order is already in "{status}" state').when(
    'a cancel of a closed order, or of one with a pending cancel or replacement',
  ),
  cannotReplaceIn: error(42210000, 'cannot replace order in {status} status').when(
    'a replacement of an order that has not reached the market',
  ),
  orderAlreadyReplaced: error(42210000, 'order already replaced').when(
    'a replacement of an order that is already replaced',
  ),
  orderNotOpen: error(42210000, 'unable to replace order, order is not open').when(
    'a replacement of a closed order',
  ),
  orderNotChanged: error(42210000, 'order parameters are not changed').when('a replacement without a change'),
  replaceNotSupported: error(42210000, '{what} orders cannot be replaced').when(
    'a replacement of a notional order, or of a member of an oto order',
  ),
  replaceFieldNotAllowed: error(42210000, '{field} of a {what} order cannot be replaced').when(
    'a replacement of a field that orders of this kind lack or cannot change',
  ),
  replaceQuantityFractional: error(42210000, 'qty of a fractional order cannot be replaced').when(
    'a replacement to or from a fraction of a share',
  ),
  quantityAlreadyFilled: error(42210000, 'qty must be > filled_qty').when(
    'a replacement with a quantity that is already filled',
  ),
  trailPercentTooSmall: error(40010001, 'trail_percent must be greater than or equal to 0.1', {
    status: 422,
  }).when('a replacement with a trail below 0.1 percent'),
  trailPercentTooLarge: error(40010001, 'trail_percent must be less than 100', { status: 422 }).when(
    'a replacement with a trail of 100 percent or more',
  ),
  nothingToClose: error(40410000, 'position not found: {symbol}').when(
    'closing a position that the account does not have',
  ),
  partTooSmall: error(40010001, 'qty must be > 0', { status: 422 }).when(
    'the percentage is less than the smallest quantity that can be traded',
  ),
  longPositionNotFound: error(40410000, 'long position not found: {symbol}').when(
    'always: Quipu has no options',
  ),
  positionNotFound: error(40410000, 'position does not exist').when(
    'the account has no position in this asset',
  ),
  assetUnknown: error(40410000, 'asset not found for {symbol}').when('no asset has this symbol or id'),

  runNotFound: error(40410000, 'run not found: {run}').when(
    'no run has this id, or another person or account stored it',
  ),
  runFileMissing: error(40410000, 'the file of run {run} is not on this server').when(
    'the server was restored from a backup that has the record of the run without its file',
  ),
  runExists: error(40910000, 'run {run} is stored already').when(
    'storing a run that has ended a second time',
  ),
  runFileInvalid: error(42210000, 'the run file cannot be stored: {problem}').when(
    'storing a file that is damaged, not complete, or of another format',
  ),
  runLimitReached: error(
    40310000,
    'there is no space for the run: the limit is {limit} runs, and pinned runs are not deleted',
  ).when('storing a run when pinned runs use up `runsMax` or `runsMaxBytes`'),
  watchlistNotFound: error(40410000, 'watchlist not found: {watchlist}').when(
    'no watchlist of the account has this id or name',
  ),
  watchlistNameTaken: error(40010001, 'watchlist name must be unique', { status: 422 }).when(
    'another watchlist of the account has this name',
  ),
  watchlistHasSymbol: error(42210000, 'symbol {symbol} is in the watchlist already', {
    fields: { symbol: 'symbol' },
  }).when('adding an asset that is already in the watchlist'),
  watchlistLacksSymbol: error(40410000, 'symbol {symbol} is not in the watchlist', {
    fields: { symbol: 'symbol' },
  }).when('removing an asset that is not in the watchlist'),
  watchlistFull: error(42210000, 'a watchlist may have at most {limit} symbols', {
    fields: { limit: 'limit' },
  }).when('more symbols than the limit of a watchlist'),
  watchlistLimitReached: error(40310000, 'watchlist limit reached ({limit}); delete a watchlist first', {
    fields: { limit: 'limit' },
  }).when('more watchlists than the limit of an account'),
  announcementNotFound: error(40410000, 'announcement not found for {id}').when(
    'no announced split or dividend has this id',
  ),
  optionContractNotFound: error(40410000, 'option contract {symbol} not found').when(
    'always: Quipu lists no options',
  ),
  walletNotFound: error(40410000, 'wallet not found for {asset}').when(
    'always: accounts have no crypto wallets',
  ),
  walletTransferNotFound: error(40410000, 'transfer not found for {id}').when(
    'always: there are no crypto transfers',
  ),
  whitelistedAddressNotFound: error(40410000, 'whitelisted address not found for {id}').when(
    'always: there are no whitelisted addresses',
  ),
  walletsNotAvailable: error(40310000, 'the account has no crypto wallet').when(
    'always: accounts have no crypto wallets',
  ),
  locateInvalidInput: error(40010001, '{problem}', { textCode: 'invalid_input' }).when(
    'a missing or invalid parameter of locates',
  ),
  locateInvalidBody: error(40010000, 'failed to decode request body', {
    textCode: 'invalid_request_body',
  }).when('the body of a locate is not JSON'),
  locateInvalidLimitPrice: error(40010001, '{problem}', { textCode: 'invalid_limit_price' }).when(
    'a limit that is not a valid price',
  ),
  locateInvalidSymbols: error(40010001, '{problem}', { textCode: 'invalid_symbols' }).when(
    'no symbols, too many symbols, or invalid symbols',
  ),
  locateSymbolNotFound: error(42210000, 'symbol not found: {symbol}', { textCode: 'symbol_not_found' }).when(
    'a locate of an unknown symbol',
  ),
  locateNotShortable: error(42210000, '{symbol} cannot be sold short', {
    textCode: 'security_not_found',
  }).when('a locate of an asset that cannot be borrowed, such as crypto'),
  locateEasyToBorrow: error(42210000, '{symbol} is easy to borrow; it needs no locate', {
    textCode: 'easy_to_borrow',
  }).when('a locate of any shortable share: all are easy to borrow'),
  locateNotFound: error(40410000, 'locate not found for {id}').when('always: there are no locates'),
  marketNotFound: error(40010001, 'market {market} has no calendar; supported: {known}').when(
    'a clock or calendar of a market outside the United States',
  ),
  outsideCalendar: error(40010001, 'time: expected an instant from 1970 to 2050').when(
    'a clock time outside the calendar',
  ),

  // Market data.
  endBeforeStart: error(40010001, 'end should not be before start').when('end is before start'),
  invalidPageToken: error(40010001, 'invalid page_token').when(
    'the page token is invalid, or belongs to other parameters',
  ),
  currencyNotSupported: error(40010001, 'currency {currency} is not supported; prices are in USD').when(
    'a currency other than USD',
  ),
  symbolNotFound: error(40410000, 'symbol not found: {symbol}').when('the symbol is unknown'),
  logoNotFound: error(40410000, 'logo not found: {symbol}').when('placeholder is false: Quipu has no logos'),

  // OAuth, partner side. All client-authentication failures return the same 401, so that nobody can probe.
  oauthClientRefused: error(40110000, 'unauthorized.').when(
    "the app does not exist, is disabled, is not the caller's, or its secret is wrong",
  ),
  oauthRedirectUriInvalid: error(42210000, 'redirect_uri is invalid').when(
    "the redirect URI is missing or not one of the app's",
  ),
  oauthScopeInvalid: error(42210000, 'scope is invalid').when(
    'the scope is missing, unknown, or more than the app may have',
  ),
  oauthAccountInvalid: error(42210000, 'account_id is invalid').when(
    "the account is missing, unknown, or another partner's",
  ),
  oauthCodesOnly: error(42210000, 'this app requires an authorization code').when(
    'a token without a code, for an app with allow_direct_token off',
  ),
  oauthChallengeMissing: error(42210000, 'code_challenge is missing or not S256').when(
    'the app must send a PKCE challenge of 43 characters with S256',
  ),
  oauthApprovalForbidden: error(40310000, 'live_trading_approved: only an operator may change it').when(
    'a partner changes live_trading_approved',
  ),
  oauthTooManySecrets: error(42210000, 'the app cannot have more secrets; delete one first').when(
    'an app with five active secrets, or a public app',
  ),
  oauthSecretNotFound: error(40410000, 'secret not found').when('the app has no secret with this id'),
  oauthGrantNotFound: error(40410000, 'grant not found').when(
    'no grant of an account or app of the caller has this id',
  ),
  oauthAssertionUsed: error(40110000, 'unauthorized.').when(
    'the signed assertion was already used; returned as `jti_known`',
  ),
  oauthCodeInvalid: error(40010000, 'the code cannot be exchanged').when(
    'the code is unknown, expired, used, or for another app or redirect URI; returned as `invalid_grant`',
  ),

  // Tokenization.
  tokenActionPending: error(40010000, '{symbol} is about to be delisted: it cannot be minted').when(
    'a mint of shares that are about to be delisted',
  ),
  tokenQuantityNotMultiple: error(40010000, 'qty must be a multiple of {multiple}').when(
    'after a split: the shares are not a whole number of billionths of the token',
  ),
  issuerRequestIdReused: error(42210001, 'issuer request id has already been used').when(
    'a redeem with an id that the issuer used for another redeem',
  ),
  tokenSupplyExceeded: error(
    40010000,
    'insufficient quantity: {requested} tokens requested, {available} in circulation on the network',
  ).when('a redeem of more tokens than were minted on the network'),
  accountIsShort: error(
    40010000,
    'the account has a short position in {symbol}, or an open order for one',
  ).when('a redeem for an account with a short position in the share, or an open order for one'),
  custodyInsufficient: error(
    40010000,
    'insufficient quantity: {requested} shares requested, {available} in custody of the issuer',
  ).when('a redeem of more shares than are available in custody'),
  tokenizationCallbackMismatch: error(42210001, '{problem}').when(
    'a callback with another participant, wallet or network than the request',
  ),
  tokenizationCallbackRefused: error(40010000, 'the request is {status}: {problem}').when(
    'a callback for a request that is rejected, not yet confirmed, or completed by another transaction',
  ),
  tokenizationRequestHeld: error(40010000, 'the request is held').when(
    'a callback for a request that an operator holds',
  ),
  tokenizationRequestEnded: error(40910000, 'the request has ended').when(
    'the request is already completed or rejected',
  ),
  issuerNotBuiltin: error(40910000, '{issuer} is not a built-in issuer').when(
    'changing the behaviour of an external issuer, or restoring an issuer that was never built in',
  ),
  issuerHasNoAddress: error(42210001, '{issuer} has no {what} address').when(
    'a call to an issuer that has no URL for it',
  ),
  issuerUnreachable: error(42210001, '{issuer} did not return its tokens: {problem}').when(
    'the issuer did not return its tokens as expected',
  ),
  externalIdTaken: error(40910000, 'this id at {issuer} belongs to another account').when(
    'a link with an id at the issuer that belongs to another account',
  ),
  unmatchedTransferNotFound: error(40410000, 'no unmatched transfer in that transaction').when(
    'no open unmatched transfer has this network, transaction and log index',
  ),
  linkNotFound: error(40410000, 'link not found').when('the account is not linked to this issuer'),
  tokenizationRequestNotFound: error(40410000, 'tokenization request not found').when(
    'no request of the account has this id or client_request_id',
  ),
  tokenizationNotSupported: error(40010000, 'account is not supported for tokenization by {issuer}').when(
    'the account is not linked to the issuer as authorized participant',
  ),
  tokenizationBlocked: error(40010000, 'account is not authorized to mint or redeem').when(
    'transfers or the whole account are blocked, or the account is not active',
  ),
  tokenNotSupported: error(
    42210001,
    '{symbol} is not supported for tokenization by {issuer} on {network}',
  ).when('the issuer has no token of this share on this network'),
  tokenizationNoPosition: error(
    40010000,
    'no positions found for account {accountNumber} and symbol {symbol}',
  ).when('a mint of a share that the account does not hold'),
  tokenizationInsufficientPosition: error(
    40010000,
    'insufficient position quantity for {symbol} (requested: {requested}, available: {available})',
    { fields: { symbol: 'symbol', available: 'available' } },
  ).when('a mint of more than the settled and available shares'),
  tokenizationQuantityPrecision: error(40010000, '{problem}').when(
    'a quantity with more than nine decimal places',
  ),
  issuerNotFound: error(40410000, 'issuer not found: {issuer}').when('no issuer of the world has this name'),
  issuerAccountInvalid: error(
    40910000,
    'the account of an issuer must be new, unused by other issuers, and not a participant',
  ).when('an issuer with an account that trades, or a link of an issuer account'),
  walletAddressInvalid: error(42210001, 'invalid wallet address for network {network}').when(
    'the address is not valid on the network',
  ),
  issuerRefused: error(40010000, '{text}').when(
    'the issuer refused the mint; the message is from the issuer',
  ),
  idempotencyKeyMalformed: error(
    40010000,
    'Idempotency-Key must be 1 to 128 printable ASCII characters without spaces',
  ).when('the Idempotency-Key header is malformed'),
  idempotencyKeyTooLong: error(40010000, 'Idempotency-Key is longer than {max} characters').when(
    'the Idempotency-Key header is longer than the setting allows',
  ),
  idempotencyKeyReused: error(42210001, 'Idempotency-Key was already used with a different body').when(
    'the same key with another body',
  ),
  journalKeyReused: error(42210000, 'idempotency key reused with a different request body').when(
    'the key of a journal is used again with another body',
  ),
  idempotencyKeyOfRejected: error(
    40010000,
    'the request with this Idempotency-Key was rejected; use a new key',
  ).when('the key of a rejected request is used again'),

  // Worlds and keys.
  requestNotFound: error(40410000, 'request {id} is not in the request log and caused no events').when(
    'the request id is unknown, or newer requests have replaced it in the log',
  ),
  socketNotFound: error(40410000, 'no open stream {id}').when('no stream of the world has this id'),
  worldNotFound: error(40410000, 'world not found: {world}').when('no world has this name'),
  replayMarketFixed: error(
    42210000,
    'world {world} replays imported data: symbols and market events cannot be added to it',
  ).when('a symbol or a market event for a replay world'),
  scenarioNotFound: error(40410000, 'scenario not found: {scenario}; there are {scenarios}').when(
    'no scenario that ships with the server has this name',
  ),
  dataNotFound: error(
    42210000,
    'no imported data of {symbol}: `quipu data list` lists imported data, `quipu import` adds some',
  ).when('no data was imported for the symbol, or none at all for a replay world'),
  dataInUse: error(
    40910000,
    '{data} is used by world {world}: delete the world first; `main` keeps the data it uses',
  ).when('deleting imported data that a world uses'),
  importRunning: error(40910000, 'an import is running: try again when it has ended').when(
    'deleting imported data during an import',
  ),
  marketFromUpstream: error(
    42210000,
    'world {world} has the prices of its market data provider: it cannot use imported data',
  ).when('imported data for `main` with QUIPU_UPSTREAM_URL'),
  assetSymbolTaken: error(40910000, 'asset {symbol} already exists', { fields: { symbol: 'symbol' } }).when(
    'a new asset with a symbol in use',
  ),
  assetSymbolInvalid: error(
    42210001,
    'symbol: expected a stock such as SOFI or BRK.B, or a pair such as PEPE/USD, received {symbol}',
  ).when('a new asset with an invalid symbol'),
  assetPriceInvalid: error(42210001, 'price: expected from 0.02 to 1000000 dollars').when(
    'a new asset with a price out of range',
  ),
  marketEventInvalid: error(42210001, '{field}: {rule}').when('a market event with an impossible value'),
  marketEventInPast: error(
    42210000,
    'the market event would start at {begins}, but prices until {now} are fixed',
  ).when('a market event that would start in the past'),
  marketEventNotFound: error(40410000, 'no market event {id}').when(
    'no market event of the world has this id',
  ),
  marketEventBegun: error(
    40910000,
    'market event {id} begins at {begins}, but prices until {now} are fixed: it cannot be removed',
  ).when('removing a market event that has begun, or begins within a minute'),
  actionInvalid: error(42210001, '{field}: {rule}').when('a corporate action with an impossible value'),
  actionOnTokens: error(40910000, '{symbol} has tokens or pending mints and cannot be delisted').when(
    'a delisting of shares that back tokens',
  ),
  actionNotFound: error(40410000, 'corporate action not found for {id}').when(
    'no corporate action of the world has this id',
  ),
  actionAlreadyApplied: error(40910000, 'corporate action {id} has taken effect or is about to').when(
    'canceling a corporate action that has taken effect, or will within a minute',
  ),
  tooManyActions: error(40310000, 'corporate action limit reached ({limit})').when(
    'the limit of corporate actions of a world is reached',
  ),
  backupNotPossible: error(40910000, 'no backup is possible: {problem}').when(
    'a backup of a server that keeps nothing, or that has no folder for backups',
  ),
  backupNameTaken: error(40910000, 'backup {name} already exists').when('a new backup with a name in use'),
  backupRunning: error(40910000, 'another backup is being made: try again when it has ended').when(
    'two backups at the same time',
  ),
  backupFailed: error(50010000, 'the backup failed: {problem}').when(
    'a backup that could not be made, such as on a full disk; nothing is left of it',
  ),
  notInCluster: error(40910000, 'this server is not a node of a cluster; set QUIPU_CLUSTER_SECRET').when(
    'an operation of the cluster on a server that is not a node',
  ),
  worldNotMoved: error(40910000, '{problem}').when(
    'a world that cannot be moved now: nobody holds it, the target does not answer, or a request runs too long',
  ),
  worldNameTaken: error(40910000, 'world {world} already exists').when('a new world with a name in use'),
  faultNotFound: error(40410000, 'no fault rule {id}').when('no fault rule of the world has this id'),
  faultLimitReached: error(40310000, 'fault rule limit reached ({limit}); delete a rule first', {
    fields: { limit: 'limit' },
  }).when('the limit of fault rules of a world is reached'),
  worldLimitReached: error(40310000, 'world limit reached ({limit}); delete a world first', {
    fields: { limit: 'limit' },
  }).when('the limit of worlds is reached'),
  durableLimitReached: error(40310000, 'limit of durable worlds reached ({limit}); delete one first', {
    fields: { limit: 'limit' },
  }).when('the limit of durable worlds is reached'),
  worldCodesUsed: error(
    40310000,
    'all codes of durable worlds are in use; delete a durable world first',
  ).when('the world codes, which credentials contain, are all in use'),
  nothingDurable: error(
    42210000,
    'durable: this server keeps nothing; start it with a data folder (--data) or PostgreSQL (--store)',
  ).when('a durable world on a server with `--data memory`'),
  worldFileInvalid: error(42210000, 'the file cannot be loaded: {problem}').when(
    'loading a file that is damaged, was not written by `quipu world save`, or is of another version',
  ),
  reportNotSeparable: error(
    40910000,
    'this account cannot be saved without others: {problem}; save the whole world with whole_world',
  ).when('a bug report of an account whose history depends on other accounts'),
  reportSubjectNotFound: error(40410000, 'no order, request or account {id}').when(
    'a bug report of an order, request or account that the world does not have',
  ),
  marketFollowed: error(40910000, 'this world follows the market of {world}: change the market there', {
    fields: { world: 'world' },
  }).when('a symbol, market event, corporate action or imported data for a world that follows another'),
  worldFollowed: error(40910000, 'world {follower} follows the market of {world}: delete {follower} first', {
    fields: { world: 'world', follower: 'follower' },
  }).when('deleting or resetting a world that another world follows'),
  mainNotDeletable: error(40910000, 'main cannot be deleted').when('deleting main'),
  mainNotResettable: error(
    40910000,
    'a world on the wall clock, such as main, cannot be reset; fork it with POST /sim/v1/worlds/main/fork and reset the fork',
  ).when('resetting main or another world on the wall clock'),
  mainClockNotAdjustable: error(
    40910000,
    'main and worlds with clock: wall run on the wall clock; create a world with POST /sim/v1/worlds to control its clock',
  ).when('freezing, running, setting or advancing the clock of main or of another world on the wall clock'),
  instantInPast: error(42210000, 'the clock is at {now} and cannot move back to {to}').when(
    'an advance to a time in the past',
  ),
  clockEndReached: error(
    42210000,
    'the clock of a world runs until {end}, the end of the trading calendar',
  ).when('an advance beyond the end of the calendar, or running a clock that has reached it'),
  advanceTooLong: error(42210000, 'an advance may span at most {limit}', { fields: { limit: 'limit' } }).when(
    'an advance longer than the limit',
  ),
  accountNotFound: error(40410000, 'account not found').when('no account of the world has this id'),
  accountIsClosed: error(40910000, 'account is closed').when('a change of a closed account'),
  accountIdReused: error(
    40910000,
    'client_account_id was already used for an account with other content',
  ).when('the same client_account_id with another body'),
  accountDetailsTooLarge: error(42210000, 'account details: expected at most {limit} characters of JSON', {
    fields: { limit: 'limit' },
  }).when('contact, identity and all other details of an account together exceed the limit'),
  duplicatePosition: error(42210000, 'positions: {symbol} is listed twice', {
    fields: { symbol: 'symbol' },
  }).when('a list of positions with a symbol twice'),
  accountHoldsCustody: error(40910000, 'the account is the custody account of an issuer').when(
    'a block, reset, close or share transfer of a custody account',
  ),
  mintsPending: error(40910000, 'tokenization requests are pending: {count}; wait until they end', {
    fields: { count: 'count' },
  }).when('a reset or close of an account with pending tokenization requests'),
  journalsPending: error(40910000, 'journals to other worlds are pending: {count}; wait until they end', {
    fields: { count: 'count' },
  }).when('a reset or close of an account with pending journals to other worlds'),
  accountNotEmpty: error(40910000, 'account has positions ({positions}) or open orders ({openOrders})', {
    fields: { positions: 'positions', open_orders: 'openOrders' },
  }).when('a close of an account with positions or open orders, without `empty`'),
  accountCashNegative: error(40910000, 'account owes {owed}; deposit it first', {
    fields: { owed: 'owed' },
  }).when('a close of an account with negative cash'),
  insufficientWithdrawable: error(
    40310000,
    'insufficient withdrawable cash (requested: {amount}, available: {withdrawable})',
    { fields: { amount: 'amount', cash_withdrawable: 'withdrawable' } },
  ).when(
    'a withdrawal or cash journal of more than the settled cash that is neither held nor needed as margin',
  ),
  insufficientShares: error(
    40310000,
    'insufficient shares of {symbol} (requested: {requested}, available: {available})',
    { fields: { symbol: 'symbol', available: 'available' } },
  ).when('a share journal of more than the available shares'),
  receiverIsShort: error(42210000, 'to_account is short of {symbol}', { fields: { symbol: 'symbol' } }).when(
    'a share journal to an account with a short position in the share, or an open order for one',
  ),
  transfersBlocked: error(40310000, 'account is not authorized to transfer').when(
    'a transfer, journal, reset or close while transfers or the whole account are blocked',
  ),
  journalToSelf: error(42210000, 'from_account and to_account are the same').when(
    'a journal from an account to itself',
  ),
  journalAcrossPartners: error(42210000, 'from_account and to_account belong to different partners').when(
    'an operator journal between accounts of two partners',
  ),
  journalNotFound: error(40410000, 'journal not found').when('no journal of the caller has this id'),
  partnerNotFound: error(40410000, 'partner not found').when('no partner of the world has this id'),
  userNotFound: error(40410000, 'user not found').when('no user of the world has this id or name'),
  keyNotFound: error(40410000, 'key not found: {keyId}').when('no key of the world has this id'),
  lastOperatorKey: error(
    40910000,
    'the last operator key cannot be deleted; create another one first (kind operator, without an end)',
  ).when('the deletion of the only operator key that does not expire'),
  keyNeedsSession: error(
    40310000,
    'a key cannot create or delete keys; use the session of the signed-in user, or an operator key',
  ).when('a key of an account creates or deletes a key'),
  keyLimitReached: error(40310000, 'key limit of the account reached ({limit}); delete a key first', {
    fields: { limit: 'limit' },
  }).when('a user creates a key for an account that has the highest number of keys'),
  userNameTaken: error(40910000, 'user name {name} is already in use').when(
    'another user has this name; case is ignored',
  ),
  userHasAccounts: error(40910000, 'the user still has open accounts').when(
    'deleting a user with open accounts',
  ),
  userNotOperator: error(42210000, 'the user is neither an operator nor an auditor').when(
    'raising the rights of a user who is neither an operator nor an auditor',
  ),
  userHasOneRole: error(42210000, 'operator, auditor: expected at most one of them to be true').when(
    'making an operator an auditor, or an auditor an operator, without taking the other role away',
  ),
  operatorRightsNotRaised: error(
    40310000,
    'operator rights are not raised in this session; raise them at /oauth/operator',
  ).when('requesting an operator token without raised operator rights; they end after one hour'),
  issuerCallbacksOnly: error(
    40310000,
    'the credential of an issuer may only call its callbacks and read its requests',
  ).when('any other operation, with the credential of an external issuer'),
  auditorReadsOnly: error(40310000, 'an auditor reads and changes nothing; ask an operator').when(
    'an operation that changes something, with the credential of an auditor',
  ),
  readOnlyToken: error(40310000, 'this token is read-only; request a token without read_only').when(
    'a read-only token with another method than GET',
  ),
  recoveryNotLocal: error(
    40310000,
    'second factors are reset only on the machine of the server: quipu user reset-second-factors',
  ).when('resetting the second factors of a user from another machine'),
  factorExists: error(42210000, 'the user has this second factor, or as many passkeys as are allowed').when(
    'adding a second authenticator app, the same passkey twice, or too many passkeys',
  ),
  factorNotFound: error(40410000, 'the user does not have this second factor').when(
    'removing or using a second factor that the user does not have',
  ),
  factorReplayed: error(42210000, 'this code or signature was used before').when(
    'using a code of an authenticator app, or a signature of a passkey, a second time',
  ),
  lastFactorRequired: error(40910000, 'the last second factor stays, because one is required').when(
    'removing the last second factor of a user who must have one',
  ),
  signInRefused: error(40110000, 'unauthorized.').when(
    'a wrong name or password, a used sign-in link, or a disabled user',
  ),
  keyTaken: error(40910000, 'key {keyId} belongs to another owner').when('a key id that another owner has'),
  worldAlreadyOpen: error(40910000, 'the world is open already').when('opening a world twice'),
} satisfies Record<string, ErrorRow>

export type ErrorName = keyof typeof errors

/** Errors of the public token endpoint (RFC 6749): `{error, error_description}`, with code and message added. */
export const oauthErrors = {
  invalid_request: error(40010000, 'a required parameter is missing or repeated').when(
    'a parameter is missing, repeated or invalid; the description names it',
  ),
  invalid_client: error(40110000, 'client authentication failed').when(
    'client_id or client_secret is missing or wrong, or the app is disabled',
  ),
  invalid_grant: error(
    40010000,
    'the code is invalid, expired, used, or was issued for another client, redirect_uri or code_verifier',
  ).when('the code or the refresh token cannot be exchanged; the description says why'),
  invalid_scope: error(40010000, 'the scope is unknown, or more than was granted').when(
    'a refresh with more scope than the grant has',
  ),
  unsupported_grant_type: error(40010000, 'expected grant_type authorization_code or refresh_token').when(
    'another grant_type',
  ),
  unauthorized_client: error(40010000, 'only partner keys can request tokens here').when(
    'a trading key at POST /v1/oauth2/token',
  ),
  token_claim: error(40110000, 'a claim of the assertion is missing or invalid').when(
    'a correctly signed assertion with a missing or wrong claim; `fields` names the claim',
  ),
  jti_known: error(40010000, 'the assertion was already used: each assertion needs a unique jti').when(
    'the assertion was already used',
  ),
} satisfies Record<string, ErrorRow>

export type OAuthErrorName = keyof typeof oauthErrors
