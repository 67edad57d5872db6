import { operation } from '../../operation.ts'
import {
  anything,
  array,
  bool,
  decimal,
  either,
  integer,
  isAtLeastOne,
  isPositive,
  list,
  moment,
  oneOf,
  optional,
  record,
  text,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { brief } from '../../shape/shape.ts'
import { keyErrors, keyHeader } from '../broker/idempotency.ts'
import { assetClasses, OrderShape, orderClasses, positionIntents } from './order-record.ts'
import { orderRules } from './order-rules.ts'
import { orderTypeNames, timesInForce } from './order-types.ts'

const clientOrderId = text({ min: 1, max: 128 }).message((value, path) =>
  typeof value === 'string'
    ? 'client_order_id must be no more than 128 characters'
    : `${path}: expected text, received ${brief(value)}`,
)

// Clients divide in floating point: 100000 / 283.5 has more decimals than a quantity can have.
const quantity = () => decimal({ excess: 'cut' })
const decimalsNote = 'Only the first nine decimals count.'
// A price with more than nine decimals always breaks the tick rule, which has its own error.
const price = () => decimal({ excess: 'kept' })

export const PlaceOrderShape = record({
  symbol: optional(text({ min: 1, max: 64 })).about(
    'Symbol or asset id. AAPL:NASDAQ and AAPL:NASDAQ:us_equity mean AAPL.',
  ),
  side: optional(oneOf('buy', 'sell').message('invalid side')),
  type: oneOf(...orderTypeNames).message('invalid order type'),
  time_in_force: withDefault(oneOf(...timesInForce).message('invalid time_in_force'), 'day'),
  qty: optional(quantity().where(isPositive, 'qty must be > 0')).about(decimalsNote),
  notional: optional(quantity().where(isAtLeastOne, 'notional must be >= 1.00')).about(decimalsNote),
  limit_price: optional(price()),
  stop_price: optional(price().where(isPositive, 'stop price must be > 0')),
  trail_price: optional(quantity().where(isPositive, 'trail_price must be > 0')),
  trail_percent: optional(quantity()),
  extended_hours: withDefault(bool(), false),
  client_order_id: optional(clientOrderId).about('Unique per account, forever. Default: generated.'),
  order_class: withDefault(oneOf('', ...orderClasses).message('invalid order_class'), ''),
  take_profit: optional(record({ limit_price: optional(price()) })),
  stop_loss: optional(record({ stop_price: optional(price()), limit_price: optional(price()) })),
  legs: optional(
    array(
      record({
        symbol: text({ min: 1, max: 64 }),
        ratio_qty: decimal(),
        side: optional(oneOf('buy', 'sell')),
        position_intent: optional(oneOf(...positionIntents)),
      }),
      { max: 4 },
    ),
  ),
  position_intent: optional(oneOf(...positionIntents).message('invalid position_intent')),
  advanced_instructions: anything().about('Accepted and ignored.'),
})
  .refine(orderRules)
  .named('PlaceOrder')

/** Omitted fields stay unchanged. */
export const ReplaceOrderShape = record({
  qty: optional(quantity().where(isPositive, 'qty must be > 0')).about(
    'New total quantity, including the quantity already filled.',
  ),
  time_in_force: optional(oneOf(...timesInForce).message('invalid time_in_force')),
  limit_price: optional(price().where(isPositive, 'limit price must be > 0')),
  stop_price: optional(price().where(isPositive, 'stop price must be > 0')),
  trail: optional(quantity().where(isPositive, 'trail must be > 0')).about(
    'New trail price or percentage of a trailing stop.',
  ),
  client_order_id: optional(clientOrderId).about('Id of the new order. Default: generated.'),
  advanced_instructions: anything().about('Accepted and ignored.'),
}).named('ReplaceOrder')

/** The result of one cancel of several. */
export const Canceled = record({
  id: uuid(),
  status: integer(),
  body: optional(either(OrderShape, record({ code: integer(), message: text() }))).about(
    'The order, or the error.',
  ),
}).named('CanceledOrder')

const orderId = record({ order_id: uuid().message('order_id is missing') })

const listQuery = record({
  status: withDefault(oneOf('open', 'closed', 'all'), 'open'),
  limit: withDefault(integer({ min: 1, max: 500 }), 50),
  after: optional(moment()).about('Submitted after this time (exclusive).'),
  until: optional(moment()).about('Submitted before this time (exclusive).'),
  direction: withDefault(oneOf('asc', 'desc'), 'desc'),
  nested: withDefault(bool(), false).about('Return the legs inside their parent order.'),
  symbols: optional(list(text({ min: 1, max: 64 }))),
  side: optional(oneOf('buy', 'sell').message('invalid side')),
  asset_class: optional(list(oneOf(...assetClasses, 'all'))),
  before_order_id: optional(uuid()),
  after_order_id: optional(uuid()),
}).refine((query) => {
  const cursors = [query.before_order_id, query.after_order_id].filter(Boolean).length
  const timed = query.after !== undefined || query.until !== undefined
  if (cursors > 1) {
    return { field: 'after_order_id', message: 'only one of before_order_id or after_order_id is accepted' }
  }
  if (cursors > 0 && timed) {
    return { field: 'after', message: 'before_order_id and after_order_id exclude after and until' }
  }
  return undefined
})

/** Refusals because of the terms of the order. */
const termRefusals = [
  'assetNotFound',
  'assetNotActive',
  'assetNotTradable',
  'subPenny',
  'priceIncrement',
  'fractionalMustBeDay',
  'fractionalMustBeSimple',
  'fractionalNotTrailing',
  'extendedMustBeLimit',
  'stopNotExtended',
  'complexNotExtended',
  'timeInForceNotForType',
  'entryMustBeMarketOrLimit',
  'ocoMustBeLimit',
  'groupMustBeDayOrGtc',
  'cryptoMustBeSimple',
  'cryptoOrderType',
  'cryptoTimeInForce',
  'stopBeyondMarket',
  'trailPriceTooLarge',
  'exitsCrossed',
  'exitTooNear',
  'fractionalNotShort',
  'assetNotShortable',
] as const

/** Refusals because of the account or its buying power. */
const accountRefusals = [
  'accountNotAllowedToTrade',
  'tradingBlocked',
  'tradingSuspended',
  'fractionalTradingDisabled',
  'assetNotFractionable',
  'noPrice',
  'shortSellOpen',
  'sharesInTransit',
  'longBuyOpen',
  'closingOrdersOpen',
  'cryptoCostTooSmall',
  'cryptoCostTooLarge',
  'accountRestricted',
  'insufficientQuantity',
  'insufficientBalance',
  'insufficientBuyingPower',
  'washTrade',
  'tooLateForOpen',
  'tooLateForClose',
] as const

const shared = { family: 'trading', who: ['account'] } as const

export const orders = {
  placeOrder: operation('POST /v2/orders', shared, {
    bodySize: 'small',
    summary: 'Place an order.',
    scope: 'trading',
    headers: keyHeader,
    body: PlaceOrderShape,
    output: OrderShape,
    errors: [
      'invalidParameter',
      ...keyErrors,
      'clientOrderIdTaken',
      ...termRefusals,
      ...accountRefusals,
      'orderClassNotSupported',
      'groupMustOpen',
      'ocoMustClose',
      'positionIntentMismatch',
      'shortingNotAllowed',
    ],
  }),
  listOrders: operation('GET /v2/orders', shared, {
    summary: 'List orders by submission time.',
    scope: 'read',
    query: listQuery,
    output: array(OrderShape),
    errors: ['invalidParameter'],
  }),
  getOrder: operation('GET /v2/orders/{order_id}', shared, {
    summary: 'Get an order by id.',
    scope: 'read',
    params: orderId,
    query: record({ nested: withDefault(bool(), false) }),
    output: OrderShape,
    errors: ['invalidParameter', 'orderNotFound'],
  }),
  getOrderByClientOrderId: operation('GET /v2/orders:by_client_order_id', shared, {
    summary: 'Get an order by client order id.',
    scope: 'read',
    query: record({
      client_order_id: text({ min: 1, max: 128, missing: 'client_order_id is required' }),
      nested: withDefault(bool(), false),
    }),
    output: OrderShape,
    errors: ['invalidParameter', 'orderNotFound'],
  }),
  replaceOrder: operation('PATCH /v2/orders/{order_id}', shared, {
    bodySize: 'small',
    summary: 'Replace an open order with a new one.',
    scope: 'trading',
    params: orderId,
    body: ReplaceOrderShape,
    output: OrderShape,
    errors: [
      'invalidParameter',
      'orderNotFound',
      'clientOrderIdTaken',
      'cannotReplaceIn',
      'orderAlreadyReplaced',
      'orderNotOpen',
      'orderNotChanged',
      'replaceNotSupported',
      'replaceFieldNotAllowed',
      'replaceQuantityFractional',
      'quantityAlreadyFilled',
      'trailPercentTooSmall',
      'trailPercentTooLarge',
      ...termRefusals,
      ...accountRefusals,
    ],
  }),
  cancelOrder: operation('DELETE /v2/orders/{order_id}', shared, {
    summary: 'Cancel an open order.',
    scope: 'trading',
    params: orderId,
    errors: ['invalidParameter', 'orderNotFound', 'orderAlreadyTerminal'],
  }),
  cancelAllOrders: operation('DELETE /v2/orders', shared, {
    summary: 'Cancel all open orders.',
    scope: 'trading',
    output: array(Canceled),
    status: 207,
  }),
}
