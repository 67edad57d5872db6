import { operation } from '../../operation.ts'
import {
  array,
  decimalText,
  either,
  integer,
  list,
  moment,
  nullable,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'
import { WorldClockShape } from '../sim/clock.ts'
import { operatorOnly, worldParam } from '../sim/world-param.ts'
import { AccountShape } from '../trading/account.ts'
import { OtherActivity, TradeActivity } from '../trading/activities.ts'
import { OrderShape } from '../trading/order-record.ts'
import { PortfolioHistory } from '../trading/portfolio-history.ts'
import { PositionShape } from '../trading/positions.ts'

/** Open orders in a snapshot. An account may have more; `open_orders` counts all. */
export const SNAPSHOT_ORDERS_MAX = 500
export const SNAPSHOT_ACTIVITIES_MAX = 50
/** Ended orders in one message of the event stream, and changed open orders beside the newest. */
export const SNAPSHOT_CHANGED_MAX = 1000
export const SNAPSHOT_SYMBOLS_MAX = 200
/** How many of the last events a snapshot can be of. */
export const SNAPSHOT_EVENTS_MAX = 1000

export const SymbolPrices = record({
  symbol: text(),
  bid: nullable(decimalText()),
  bid_size: nullable(decimalText()),
  ask: nullable(decimalText()),
  ask_size: nullable(decimalText()),
  quote_at: nullable(timestamp()),
  last: nullable(decimalText()).about('Price of the last trade.'),
  last_size: nullable(decimalText()),
  last_at: nullable(timestamp()),
  previous_close: nullable(decimalText()).about('Close of the previous trading day.'),
}).named('SymbolPrices')

const activity = () => either(TradeActivity, OtherActivity)

export const AccountSnapshot = record({
  time: timestamp().about('Every number is of this instant of the world.'),
  event: integer().about('Number of the last event of the journal that the numbers include.'),
  clock: optional(WorldClockShape).about('Absent with `event`.'),
  account: AccountShape.about('As of `GET /v2/account`. Cash plus long plus short is equity.'),
  gain_today: decimalText().about('Change of equity since the previous close. Transfers are no gain.'),
  positions: array(PositionShape),
  orders: array(OrderShape).about(`Open orders, newest first, at most ${SNAPSHOT_ORDERS_MAX}, with legs.`),
  open_orders: integer().about('Number of open orders.'),
  activities: array(activity()).about(`Newest first, at most ${SNAPSHOT_ACTIVITIES_MAX}.`),
  prices: array(SymbolPrices).about('Of the symbols that are held, have an open order or are in `symbols`.'),
  curve: optional(PortfolioHistory).about('Equity curve. Present with the parameter `curve`.'),
}).named('AccountSnapshot')

const CURVES = ['1D', '1W', '1M', '3M', '1A', '10A'] as const

export const accountSnapshots = {
  getAccountSnapshot: operation(
    'GET /sim/v1/worlds/{world}/accounts/{account_id}/snapshot',
    { ...operatorOnly, who: ['operator', 'partner', 'account'] },
    {
      summary:
        'Get account, positions, open orders, activities, prices and equity curve of one instant. As an event stream: also their changes.',
      params: record({ ...worldParam, account_id: uuid() }),
      query: record({
        symbols: optional(
          list(text({ min: 1, max: 60, example: 'AAPL' }), { max: SNAPSHOT_SYMBOLS_MAX }),
        ).about('More symbols whose prices are wanted.'),
        curve: optional(oneOf(...CURVES)).about(
          'Period of the equity curve. Frames: 1Min for 1D, 15Min for 1W, otherwise 1D, in market hours; if the world is always open, at all hours, and 1D begins at midnight in New York.',
        ),
        event: optional(integer({ min: 1 })).about(
          `The state after this event, one of the last ${SNAPSHOT_EVENTS_MAX}. Default: now. Not with an event stream.`,
        ),
        time: optional(moment()).about(
          'The state at this instant. With `event`: an instant after that event and not after the next one. Not with an event stream.',
        ),
      }),
      output: AccountSnapshot,
      also: ['text/event-stream'],
      errors: ['invalidParameter', 'worldNotFound', 'accountNotFound', 'eventStreamsFull'],
    },
  ),
}
