import { operation } from '../../operation.ts'
import { array, integer, map, number, optional, record, text, timestamp, uuid } from '../../shape/index.ts'
import { ofWorld, operatorOnly, worldParam } from '../sim/world-param.ts'
import { nextCursor, paging } from './reading-parameters.ts'

export const OpenSocketShape = record({
  id: text(),
  endpoint: text(),
  key_id: optional(text()).about('Absent before authentication.'),
  account_id: optional(uuid()),
  address: text(),
  opened_at: timestamp().about('By the clock of the machine.'),
  subscriptions: map(array(text())).about('Symbols by channel, at most 100 per channel.'),
  symbols: integer().about('Number of subscribed symbols over all channels.'),
  sent_messages: integer(),
  sent_bytes: integer(),
  waiting_bytes: integer().about('Bytes that the client has not read yet.'),
  lag_ms: number().about('Age of the oldest unread byte, in milliseconds.'),
}).named('OpenSocket')

export const sockets = {
  listSockets: operation('GET /sim/v1/worlds/{world}/sockets', ofWorld, {
    summary:
      'List open streams of a world. Streams that are not authenticated are listed under main; in a cluster, those of the node that holds main.',
    query: record({ ...paging, account_id: optional(uuid()), key_id: optional(text({ min: 1, max: 64 })) }),
    output: record({ sockets: array(OpenSocketShape), next_cursor: nextCursor }).named('SocketsPage'),
    also: ['text/event-stream'],
    errors: ['invalidParameter', 'worldNotFound', 'eventStreamsFull'],
  }),
  closeSocket: operation('DELETE /sim/v1/worlds/{world}/sockets/{socket_id}', operatorOnly, {
    summary: 'Close a stream, as at a server shutdown. The client may reconnect.',
    params: record({ ...worldParam, socket_id: text({ min: 1, max: 20 }) }),
    errors: ['worldNotFound', 'socketNotFound'],
  }),
}
