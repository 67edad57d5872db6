import { operation } from '../../operation.ts'
import { array, integer, list, oneOf, optional, record, text, uuid, withDefault } from '../../shape/index.ts'
import { Order } from '../trading/order-record.ts'
import { inWorld, sharedReading } from './reading-parameters.ts'

export const worldOrders = {
  listWorldOrders: operation({
    ...sharedReading,
    method: 'GET',
    path: '/sim/v1/worlds/{world}/orders',
    summary: 'List orders of an account, newest first.',
    params: record(inWorld),
    query: record({
      account_id: optional(uuid()).about('Default: the first account of the world.'),
      status: withDefault(oneOf('open', 'closed', 'all'), 'open'),
      symbols: optional(list(text({ min: 1, max: 60, example: 'AAPL' }), { max: 100 })),
      before_order_id: optional(uuid()).about('Id of the last order of the previous page.'),
      limit: withDefault(integer({ min: 1, max: 500 }), 50),
    }),
    output: array(Order),
    status: 200,
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound'],
  }),
  getWorldOrder: operation({
    ...sharedReading,
    method: 'GET',
    path: '/sim/v1/worlds/{world}/orders/{order_id}',
    summary: 'Get an order of any account of the world.',
    params: record({ ...inWorld, order_id: uuid() }),
    output: Order,
    status: 200,
    errors: ['invalidParameter', 'worldNotFound', 'orderNotFound'],
  }),
}
