import { operation } from '../../operation.ts'
import { array, integer, map, number, optional, record, text, timestamp, uuid } from '../../shape/index.ts'
import { inWorld, nextCursor, paging, sharedReading } from './reading-parameters.ts'

export const OpenSocket = record({
  id: text(),
  endpoint: text(),
  key_id: optional(text()).about('Absent until it has said who it is.'),
  account_id: optional(uuid()),
  address: text(),
  opened_at: timestamp().about('By the clock of the machine.'),
  subscriptions: map(array(text())).about('Symbols by channel, at most 100 of each.'),
  symbols: integer().about('How many there are, over all channels.'),
  sent_messages: integer(),
  sent_bytes: integer(),
  waiting_bytes: integer().about('What it has not read yet.'),
  lag_ms: number().about('How long the oldest of that waits already.'),
}).named('OpenSocket')

export const sockets = {
  listSockets: operation({
    ...sharedReading,
    method: 'GET',
    path: '/sim/v1/worlds/{world}/sockets',
    summary: 'The open streams of a world; those nobody is known to own yet are with main.',
    params: record(inWorld),
    query: record({ ...paging, account_id: optional(uuid()), key_id: optional(text({ min: 1, max: 64 })) }),
    output: record({ sockets: array(OpenSocket), next_cursor: nextCursor }).named('SocketsPage'),
    also: ['text/event-stream'],
    status: 200,
    errors: ['invalidParameter', 'worldNotFound', 'eventStreamsFull'],
  }),
  closeSocket: operation({
    ...sharedReading,
    method: 'DELETE',
    path: '/sim/v1/worlds/{world}/sockets/{socket_id}',
    summary: 'Closes a stream, as the server does when it stops: its client may come again.',
    params: record({ ...inWorld, socket_id: text({ min: 1, max: 20 }) }),
    status: 204,
    errors: ['worldNotFound', 'socketNotFound'],
  }),
}
