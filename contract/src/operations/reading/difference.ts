import { operation } from '../../operation.ts'
import {
  array,
  bool,
  decimalText,
  integer,
  moment,
  nullable,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'
import { operatorOnly, worldParam } from '../sim/world-param.ts'
import { OrderStatusShape } from '../trading/order-record.ts'
import { orderTypeNames, timesInForce } from '../trading/order-types.ts'

/** Orders of one world that a comparison reads: open at the end of the common past, or placed after it. */
export const DIFFERENCE_ORDERS_MAX = 5000
/** Fills of one world after the common past that a comparison reads. */
export const DIFFERENCE_FILLS_MAX = 20_000

const DifferenceFill = record({
  at: timestamp(),
  qty: decimalText(),
  price: decimalText(),
}).named('DifferenceFill')

export const DifferenceOrder = record({
  order_id: uuid(),
  client_order_id: text(),
  type: oneOf(...orderTypeNames, ''),
  time_in_force: oneOf(...timesInForce),
  qty: nullable(decimalText()),
  notional: nullable(decimalText()),
  limit_price: nullable(decimalText()),
  stop_price: nullable(decimalText()),
  trail_price: nullable(decimalText()),
  trail_percent: nullable(decimalText()),
  status: OrderStatusShape,
  filled_qty: decimalText(),
  filled_avg_price: nullable(decimalText()),
  updated_at: timestamp().about('Time of the last change: of the end, if the order has ended.'),
  fills: array(DifferenceFill).about('After the common past. With those of the orders that it replaced.'),
}).named('DifferenceOrder')

const differingFields = [
  'existence',
  'qty',
  'notional',
  'limit_price',
  'stop_price',
  'trail',
  'status',
  'filled_qty',
  'filled_avg_price',
] as const

export const DifferenceRow = record({
  placed_at: timestamp().about('Time of the first placement in either world.'),
  symbol: text(),
  side: oneOf('buy', 'sell'),
  matched_by: nullable(oneOf('id', 'client_order_id')).about(
    'id: the order is of the common past. null: only one world has it.',
  ),
  differs: array(oneOf(...differingFields)),
  world_order: nullable(DifferenceOrder),
  against_order: nullable(DifferenceOrder),
  price: nullable(decimalText()).about(
    'Price at which both worlds are valued here. null: neither has fills.',
  ),
  equity_change: decimalText().about('Equity that `against` has more because of this difference.'),
}).named('DifferenceRow')

const DifferenceSide = record({
  world: text(),
  account_id: uuid(),
  now: timestamp().about('Time of its clock, the tip of the branch.'),
  event: integer().about('Last event of its journal that the numbers include.'),
  equity: decimalText(),
  cash: decimalText(),
}).named('DifferenceSide')

export const WorldDifference = record({
  time: timestamp().about('Both worlds are read at this instant.'),
  tips_apart_ms: integer().about(
    'How far the clock of `against` is ahead of that of the world. Negative: behind.',
  ),
  world: DifferenceSide,
  against: DifferenceSide,
  common_past: nullable(
    record({
      event: integer().about('Last event that both journals have.'),
      time: timestamp(),
    }),
  ).about('null: the worlds share no event, and orders are matched by client order id only.'),
  same_market: bool().about(
    'false: a price at this instant, or a market event that has begun, is different.',
  ),
  rows: array(DifferenceRow).about(
    'One for each order that differs in existence, price, quantity or end. In the order of placement.',
  ),
  rest: record({
    kind: oneOf('other', 'market').about(
      'other: fees, rounding and movements without an order. market: also different prices.',
    ),
    equity_change: decimalText(),
  }).about('The part of the change that no row has. The rows and the rest add up to `equity_change`.'),
  equity_change: decimalText().about('Equity of `against` less equity of the world.'),
}).named('WorldDifference')

export const differences = {
  getWorldDifference: operation('GET /sim/v1/worlds/{world}/difference', operatorOnly, {
    summary:
      'Compare an account in two worlds at one instant: orders that differ, what each changed, fills and equity.',
    params: record(worldParam),
    query: record({
      against: text({ min: 1, max: 64, example: 'friday-b' }).about('The world to compare with.'),
      account_id: optional(uuid()).about('Account of the world. Default: its first account.'),
      against_account_id: optional(uuid()).about(
        'Account of `against`. Default: the same id if it has it, else its first account.',
      ),
      time: optional(moment()).about(
        'Not before the end of the common past, and not after the earlier clock of the two, which is the default.',
      ),
    }),
    output: WorldDifference,
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound'],
  }),
}
