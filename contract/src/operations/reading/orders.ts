import { operation } from '../../operation.ts'
import {
  array,
  integer,
  list,
  moment,
  oneOf,
  optional,
  record,
  text,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { ofWorld, operatorOnly, worldParam } from '../sim/world-param.ts'
import { OrderShape } from '../trading/order-record.ts'
import { resuming } from './reading-parameters.ts'

export const WorldOrderShape = record({
  account_id: uuid().about('Account of the order.'),
  ...OrderShape.fields,
}).named('WorldOrder')

export const worldOrders = {
  listWorldOrders: operation('GET /sim/v1/worlds/{world}/orders', ofWorld, {
    summary:
      'List orders of all accounts, newest first. As an event stream: the list, then each order that changes.',
    query: record({
      account_id: optional(uuid()).about('Default: all accounts.'),
      status: withDefault(oneOf('open', 'closed', 'all'), 'open').about(
        'An event stream uses it for the list, not for changes.',
      ),
      symbols: optional(list(text({ min: 1, max: 60, example: 'AAPL' }), { max: 100 })),
      side: optional(oneOf('buy', 'sell')),
      after: optional(moment()).about('Submitted after this time (exclusive).'),
      until: optional(moment()).about('Submitted before this time (exclusive).'),
      before_order_id: optional(uuid()).about('Id of the last order of the previous page.'),
      limit: withDefault(integer({ min: 1, max: 500 }), 50),
    }),
    headers: record(resuming),
    output: array(WorldOrderShape),
    also: ['text/event-stream'],
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound', 'eventStreamsFull'],
  }),
  getWorldOrder: operation('GET /sim/v1/worlds/{world}/orders/{order_id}', operatorOnly, {
    summary: 'Get an order of any account of the world.',
    params: record({ ...worldParam, order_id: uuid() }),
    output: WorldOrderShape,
    errors: ['invalidParameter', 'worldNotFound', 'orderNotFound'],
  }),
}
