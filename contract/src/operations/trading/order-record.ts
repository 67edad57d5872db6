import {
  array,
  bool,
  decimalText,
  lazy,
  nullable,
  oneOf,
  optional,
  record,
  type Shape,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'
import { orderTypeNames, timesInForce } from './order-types.ts'

export const orderClasses = ['simple', 'bracket', 'oco', 'oto', 'mleg'] as const
export const positionIntents = ['buy_to_open', 'buy_to_close', 'sell_to_open', 'sell_to_close'] as const
export const assetClasses = [
  'us_equity',
  'us_option',
  'crypto',
  'crypto_perp',
  'treasury',
  'corporate',
  'global_equity',
  'us_index',
  'us_equity_chain',
  'ipo',
] as const

export const OrderStatusShape = oneOf(
  'accepted',
  'pending_new',
  'new',
  'held',
  'partially_filled',
  'pending_cancel',
  'pending_replace',
  'accepted_for_bidding',
  'stopped',
  'suspended',
  'calculated',
  'done_for_day',
  'pending_review',
  'filled',
  'canceled',
  'expired',
  'replaced',
  'rejected',
)

const fields = {
  id: uuid(),
  client_order_id: text({ max: 128 }),
  created_at: timestamp(),
  updated_at: timestamp(),
  submitted_at: timestamp(),
  filled_at: nullable(timestamp()),
  expired_at: nullable(timestamp()),
  expires_at: optional(timestamp()),
  canceled_at: nullable(timestamp()),
  failed_at: nullable(timestamp()),
  replaced_at: nullable(timestamp()),
  replaced_by: nullable(uuid()),
  replaces: nullable(uuid()),
  asset_id: text().about('Asset id. Empty for a multi-leg parent.'),
  symbol: text(),
  asset_class: oneOf(...assetClasses, ''),
  notional: nullable(decimalText()),
  qty: nullable(decimalText()),
  filled_qty: decimalText(),
  filled_avg_price: nullable(decimalText()),
  order_class: oneOf(...orderClasses, '').about('Empty for a simple order of a stock or a crypto pair.'),
  order_type: oneOf(...orderTypeNames, '').about('Same as type, for old clients.'),
  type: oneOf(...orderTypeNames, ''),
  side: oneOf('buy', 'sell', ''),
  position_intent: optional(oneOf(...positionIntents)),
  time_in_force: oneOf(...timesInForce),
  limit_price: nullable(decimalText()),
  stop_price: nullable(decimalText()),
  trail_percent: nullable(decimalText()),
  trail_price: nullable(decimalText()),
  hwm: nullable(decimalText()),
  ratio_qty: nullable(decimalText()),
  status: OrderStatusShape,
  extended_hours: bool(),
  subtag: nullable(text()),
  source: nullable(text()),
}

type Leg = { readonly [key: string]: unknown }

/** An order in responses and trade updates. Fields without a value are null, not omitted. */
export const OrderShape = record({
  ...fields,
  legs: nullable(array(lazy('Order', (): Shape<Leg> => OrderShape as unknown as Shape<Leg>))),
}).named('Order')
