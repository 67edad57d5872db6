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
import {
  assetClasses,
  Order,
  orderClasses,
  orderTypes,
  positionIntents,
  timesInForce,
} from './order-record.ts'
import { orderRules } from './order-rules.ts'

const clientOrderId = text({ min: 1, max: 128 }).message((value, path) =>
  typeof value === 'string'
    ? 'client_order_id must be no more than 128 characters'
    : `${path}: expected text, received ${brief(value)}`,
)

// Programs divide in floating point: 100000 / 283.5 has more places than an account holds.
const quantity = () => decimal({ beyond: 'cut' })
const firstPlaces = 'The first nine decimal places count.'
// Every price with more places than nine breaks the tick rule, which answers with its own error.
const price = () => decimal({ beyond: 'kept' })

export const PlaceOrder = record({
  symbol: optional(text({ min: 1, max: 64 })).about(
    'The symbol or the id of the asset; AAPL:NASDAQ and AAPL:NASDAQ:us_equity are AAPL.',
  ),
  side: optional(oneOf('buy', 'sell').message('invalid side')),
  type: oneOf(...orderTypes).message('invalid order type'),
  time_in_force: withDefault(oneOf(...timesInForce).message('invalid time_in_force'), 'day'),
  qty: optional(quantity().where(isPositive, 'qty must be > 0')).about(firstPlaces),
  notional: optional(quantity().where(isAtLeastOne, 'notional must be >= 1.00')).about(firstPlaces),
  limit_price: optional(price()),
  stop_price: optional(price().where(isPositive, 'stop price must be > 0')),
  trail_price: optional(quantity().where(isPositive, 'trail_price must be > 0')),
  trail_percent: optional(quantity()),
  extended_hours: withDefault(bool(), false),
  client_order_id: optional(clientOrderId).about('Unique per account for ever; made up when left out.'),
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
  advanced_instructions: anything().about('Accepted and not looked at.'),
})
  .refine(orderRules)
  .named('PlaceOrder')

/** What is left out stays as it is. */
export const ReplaceOrder = record({
  qty: optional(quantity().where(isPositive, 'qty must be > 0')).about(
    'Of the whole: what is filled counts, and the new order is for the rest.',
  ),
  time_in_force: optional(oneOf(...timesInForce).message('invalid time_in_force')),
  limit_price: optional(price().where(isPositive, 'limit price must be > 0')),
  stop_price: optional(price().where(isPositive, 'stop price must be > 0')),
  trail: optional(quantity().where(isPositive, 'trail must be > 0')).about(
    'Of a trailing stop: another price or percentage, whichever it trails by.',
  ),
  client_order_id: optional(clientOrderId).about('Of the new order; made up when left out.'),
  advanced_instructions: anything().about('Accepted and not looked at.'),
}).named('ReplaceOrder')

/** What came of one of several cancels. */
export const Canceled = record({
  id: uuid(),
  status: integer(),
  body: optional(either(Order, record({ code: integer(), message: text() }))).about(
    'The order, or why it was not canceled.',
  ),
}).named('CanceledOrder')

const orderId = record({ order_id: uuid().message('order_id is missing') })

const listQuery = record({
  status: withDefault(oneOf('open', 'closed', 'all'), 'open'),
  limit: withDefault(integer({ min: 1, max: 500 }), 50),
  after: optional(moment()).about('Submitted after this instant, which is not included.'),
  until: optional(moment()).about('Submitted before this instant, which is not included.'),
  direction: withDefault(oneOf('asc', 'desc'), 'desc'),
  nested: withDefault(bool(), false).about('Puts the members of a group under their parent.'),
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

/** Of an order in terms that its asset is not traded in. */
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

/** Of an order that its account may not place, or has not the means for. */
const meansRefusals = [
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

const shared = { family: 'trading', who: ['account'], state: 'works' } as const

export const orders = {
  placeOrder: operation({
    ...shared,
    method: 'POST',
    path: '/v2/orders',
    summary: 'Places an order.',
    scope: 'trading',
    body: PlaceOrder,
    output: Order,
    status: 200,
    errors: [
      'invalidParameter',
      'clientOrderIdTaken',
      ...termRefusals,
      ...meansRefusals,
      'orderClassNotSupported',
      'groupMustOpen',
      'ocoMustClose',
      'positionIntentMismatch',
      'shortingNotAllowed',
    ],
  }),
  listOrders: operation({
    ...shared,
    method: 'GET',
    path: '/v2/orders',
    summary: 'Lists orders by the time they were submitted.',
    scope: 'read',
    query: listQuery,
    output: array(Order),
    status: 200,
    errors: ['invalidParameter'],
  }),
  getOrder: operation({
    ...shared,
    method: 'GET',
    path: '/v2/orders/{order_id}',
    summary: 'One order by its id.',
    scope: 'read',
    params: orderId,
    query: record({ nested: withDefault(bool(), false) }),
    output: Order,
    status: 200,
    errors: ['invalidParameter', 'orderNotFound'],
  }),
  getOrderByClientOrderId: operation({
    ...shared,
    method: 'GET',
    path: '/v2/orders:by_client_order_id',
    summary: 'One order by the id its owner gave it.',
    scope: 'read',
    query: record({
      client_order_id: text({ min: 1, max: 128, missing: 'client_order_id is required' }),
      nested: withDefault(bool(), false),
    }),
    output: Order,
    status: 200,
    errors: ['invalidParameter', 'orderNotFound'],
  }),
  replaceOrder: operation({
    ...shared,
    method: 'PATCH',
    path: '/v2/orders/{order_id}',
    summary: 'Puts another order in the place of an open one.',
    scope: 'trading',
    params: orderId,
    body: ReplaceOrder,
    output: Order,
    status: 200,
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
      ...meansRefusals,
    ],
  }),
  cancelOrder: operation({
    ...shared,
    method: 'DELETE',
    path: '/v2/orders/{order_id}',
    summary: 'Cancels an open order.',
    scope: 'trading',
    params: orderId,
    status: 204,
    errors: ['invalidParameter', 'orderNotFound', 'orderAlreadyTerminal'],
  }),
  cancelAllOrders: operation({
    ...shared,
    method: 'DELETE',
    path: '/v2/orders',
    summary: 'Cancels all open orders.',
    scope: 'trading',
    output: array(Canceled),
    status: 207,
    errors: [],
  }),
}
