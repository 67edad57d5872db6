/**
 * Every refusal: one status, one integer code, one message. `{word}` in a message is filled from the refusal;
 * `fields` are numbers of the refusal that stand beside the message in the body, as text.
 */
export type ErrorRow = {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly when: string
  readonly fields?: readonly string[]
}

export const errors = {
  // Any route.
  unauthorized: {
    status: 401,
    code: 40110000,
    message: 'unauthorized.',
    when: 'no credentials, wrong ones, or an OAuth token without the needed scope',
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
    fields: ['limit'],
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
  assetNotActive: {
    status: 422,
    code: 40010001,
    message: 'asset {symbol} is not active',
    when: 'an order for an inactive asset',
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
    message: 'invalid {field} {price}. sub-penny increment does not fulfill minimum pricing criteria',
    when: 'a price finer than cents (from 1.00) or hundredths of a cent (below)',
  },
  fractionalMustBeDay: {
    status: 422,
    code: 42210000,
    message: 'fractional orders must be DAY orders',
    when: 'a fractional or notional order that is not day',
  },
  fractionalMustBeSimple: {
    status: 422,
    code: 42210000,
    message: 'fractional orders must be simple orders',
    when: 'a fractional or notional order of another class',
  },
  fractionalNoShort: {
    status: 422,
    code: 42210000,
    message: 'fractional orders cannot be sold short',
    when: 'a fractional sell beyond the position',
  },
  notFractionable: {
    status: 403,
    code: 40310000,
    message: 'asset "{symbol}" is not fractionable',
    when: 'a fractional order for an asset that trades whole',
  },
  notionalMustBeMarket: {
    status: 422,
    code: 42210000,
    message: 'notional orders must be market orders',
    when: 'a notional order with another type',
  },
  extendedHoursMustBeLimit: {
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
  notShortable: {
    status: 422,
    code: 42210000,
    message: 'asset "{symbol}" cannot be sold short',
    when: 'a short sale of an asset nobody lends',
  },
  accountNotAllowedToTrade: {
    status: 403,
    code: 40310000,
    message: 'account is not authorized to trade',
    when: 'the account is blocked',
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
    fields: ['symbol', 'existing_qty', 'held_for_orders', 'available'],
  },
  insufficientBuyingPower: {
    status: 403,
    code: 40310000,
    message: 'insufficient buying power',
    when: 'the order costs more than the account may spend',
    fields: ['buying_power', 'cost_basis'],
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
  tooManyOpenOrders: {
    status: 403,
    code: 40310000,
    message: 'the account has {limit} open orders, the most it may have',
    when: 'the limit of open orders is reached',
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
} as const satisfies Record<string, ErrorRow>

export type ErrorName = keyof typeof errors
