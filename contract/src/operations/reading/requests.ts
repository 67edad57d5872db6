import { operation } from '../../operation.ts'
import {
  array,
  integer,
  nullable,
  number,
  optional,
  record,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'
import { JournalEvent, LedgerLeg } from './journal.ts'
import { inWorld, nextCursor, paging, requestId, resuming, sharedReading } from './reading-parameters.ts'

export const LoggedRequest = record({
  number: integer().about('In the order they were answered.'),
  request_id: requestId().about('As in X-Request-ID and in the log.'),
  at: timestamp().about('When its headers had come, by the clock of the machine.'),
  method: text(),
  path: text().about('Without its query, which may hold secrets.'),
  operation: optional(text()),
  status: nullable(integer()).about('null: the connection was closed without an answer.'),
  code: optional(integer()).about('Of the refusal.'),
  reason: optional(text()).about('Our own word for the refusal.'),
  ms: number().about('From its headers to its answer.'),
  key_id: optional(text()).about('The key, or the id of the token.'),
  account_id: optional(uuid()),
  seq: optional(integer()).about('The last event its answer saw.'),
}).named('LoggedRequest')

export const requests = {
  listRequests: operation({
    ...sharedReading,
    method: 'GET',
    path: '/sim/v1/worlds/{world}/requests',
    summary: 'The last requests of a world, as they were answered; those that belong to none are with main.',
    params: record(inWorld),
    query: record({
      ...paging,
      account_id: optional(uuid()),
      key_id: optional(text({ min: 1, max: 64 })),
      operation: optional(text({ min: 1, max: 60, example: 'placeOrder' })),
      status: optional(integer({ min: 100, max: 599 })),
    }),
    headers: record(resuming),
    output: record({ requests: array(LoggedRequest), next_cursor: nextCursor }).named('RequestsPage'),
    also: ['text/event-stream'],
    status: 200,
    errors: ['invalidParameter', 'worldNotFound', 'eventStreamsFull'],
  }),
  getRequest: operation({
    ...sharedReading,
    method: 'GET',
    path: '/sim/v1/worlds/{world}/requests/{request_id}',
    summary: 'One request with all it led to: its events, what they moved, and the orders they were about.',
    params: record({ ...inWorld, request_id: requestId() }),
    output: record({
      request: optional(LoggedRequest).about('Absent once newer ones have taken its place.'),
      events: array(JournalEvent),
      postings: array(LedgerLeg, { max: 100_000 }),
      order_ids: array(uuid()),
    }).named('RequestDetails'),
    status: 200,
    errors: ['invalidParameter', 'worldNotFound', 'requestNotFound'],
  }),
}
