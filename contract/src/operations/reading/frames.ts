import { operation } from '../../operation.ts'
import {
  anything,
  array,
  integer,
  literal,
  map,
  optional,
  record,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'
import { ofWorldOrOwner } from '../sim/world-param.ts'
import { requestId } from './reading-parameters.ts'

export const StreamFrame = record({
  number: integer().about('Event that caused the message.'),
  at: timestamp(),
  account_id: uuid().about('Account whose streams get the message.'),
  order_id: uuid(),
  request_id: optional(requestId()).about('Request that caused the event.'),
  stream: literal('trade_updates'),
  event: text({ example: 'fill' }),
  data: map(anything()).about('The message, as /stream sends it.'),
}).named('StreamFrame')

type Selection = { readonly order_id?: unknown; readonly request_id?: unknown; readonly number?: unknown }

const selection = record({
  order_id: optional(uuid()).about('Messages of this order.'),
  request_id: optional(requestId()).about('Messages of the events of this request.'),
  number: optional(integer({ min: 1 })).about('Message of this event.'),
}).refine(({ order_id, request_id, number }: Selection) => {
  const named = [order_id, request_id, number].filter((one) => one !== undefined).length
  return named === 1
    ? undefined
    : { field: 'order_id', message: 'expected one of order_id, request_id and number' }
})

export const frames = {
  listFrames: operation('GET /sim/v1/worlds/{world}/frames', ofWorldOrOwner, {
    summary:
      'List the trade updates that an order, a request or an event causes on /stream, from the events.',
    query: selection,
    output: record({ frames: array(StreamFrame, { max: 100_000 }) }).named('Frames'),
    errors: ['invalidParameter', 'worldNotFound', 'orderNotFound'],
  }),
}
