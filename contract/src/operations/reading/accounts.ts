import { operation } from '../../operation.ts'
import {
  array,
  decimalText,
  integer,
  list,
  oneOf,
  openRecord,
  optional,
  record,
  text,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { BrokerAccount } from '../broker/accounts.ts'
import { operatorOnly, worldParam } from '../sim/world-param.ts'
import { Order } from '../trading/order-record.ts'

/** An account with its balances. */
export const WorldAccount = openRecord(
  record({
    ...BrokerAccount.fields,
    cash: decimalText(),
    equity: decimalText().about('Cash and positions at current prices.'),
    buying_power: decimalText(),
    position_market_value: decimalText(),
    positions: integer().about('Number of symbols with a position.'),
  }).named('WorldAccount'),
)

export const worldAccounts = {
  listWorldAccounts: operation('GET /sim/v1/worlds/{world}/accounts', operatorOnly, {
    summary: 'List accounts of a world with balances, newest first.',
    params: record(worldParam),
    query: record({
      query: optional(text({ max: 256 })).about(
        'Search words, separated by spaces. Each must occur in the account number, a name or another detail.',
      ),
      limit: withDefault(integer({ min: 1, max: 1000 }), 100),
      page_token: optional(uuid()).about('Id of the last account of the previous page.'),
    }),
    output: array(WorldAccount),
    errors: ['invalidParameter', 'worldNotFound'],
  }),
}

export const worldOrders = {
  listWorldOrders: operation('GET /sim/v1/worlds/{world}/orders', operatorOnly, {
    summary: 'List orders of an account, newest first.',
    params: record(worldParam),
    query: record({
      account_id: optional(uuid()).about('Default: the first account of the world.'),
      status: withDefault(oneOf('open', 'closed', 'all'), 'open'),
      symbols: optional(list(text({ min: 1, max: 60, example: 'AAPL' }), { max: 100 })),
      before_order_id: optional(uuid()).about('Id of the last order of the previous page.'),
      limit: withDefault(integer({ min: 1, max: 500 }), 50),
    }),
    output: array(Order),
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound'],
  }),
  getWorldOrder: operation('GET /sim/v1/worlds/{world}/orders/{order_id}', operatorOnly, {
    summary: 'Get an order of any account of the world.',
    params: record({ ...worldParam, order_id: uuid() }),
    output: Order,
    errors: ['invalidParameter', 'worldNotFound', 'orderNotFound'],
  }),
}
