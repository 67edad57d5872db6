import { operation } from '../../operation.ts'
import {
  anything,
  array,
  decimalText,
  integer,
  map,
  optional,
  record,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'
import {
  eventFilters,
  format,
  inWorld,
  nextCursor,
  paging,
  requestId,
  resuming,
  sharedReading,
} from './reading-parameters.ts'

export const JournalEvent = record({
  number: integer().about('Sequence number in the journal.'),
  at: timestamp(),
  kind: text(),
  account_id: optional(uuid()),
  order_id: optional(uuid()),
  request_id: optional(requestId()).about(
    'Request that caused the event. Absent if time or the market caused it.',
  ),
  event: map(anything()).about(
    'The event without digests of secrets. Amounts are decimals, times are timestamps.',
  ),
}).named('JournalEvent')

export const LedgerLeg = record({
  number: integer().about('Event of the posting.'),
  leg: integer().about('Index in the posting. The amounts of a posting add up to zero.'),
  at: timestamp(),
  kind: text().about('Kind of the event.'),
  ledger_account: text(),
  account_id: optional(uuid()).about('Owner of the ledger account, if it is a customer account.'),
  asset: text(),
  amount: decimalText().about('Positive: received. Negative: paid out.'),
  order_id: optional(uuid()),
  request_id: optional(requestId()),
}).named('LedgerLeg')

export const journal = {
  listEvents: operation({
    ...sharedReading,
    method: 'GET',
    path: '/sim/v1/worlds/{world}/events',
    summary: 'List events of a world in journal order.',
    params: record(inWorld),
    query: record({ ...paging, ...eventFilters }),
    headers: record(resuming),
    output: record({ events: array(JournalEvent), next_cursor: nextCursor }).named('EventsPage'),
    also: ['text/event-stream'],
    status: 200,
    errors: ['invalidParameter', 'worldNotFound', 'eventStreamsFull'],
  }),
  listPostings: operation({
    ...sharedReading,
    method: 'GET',
    path: '/sim/v1/worlds/{world}/postings',
    summary: 'List ledger postings, leg by leg. A page never splits a posting.',
    params: record(inWorld),
    query: record({
      ...paging,
      ...eventFilters,
      asset: optional(text({ min: 1, max: 80, example: 'USD' })),
      format,
    }),
    headers: record(resuming),
    output: record({ postings: array(LedgerLeg, { max: 100_000 }), next_cursor: nextCursor }).named(
      'PostingsPage',
    ),
    also: ['text/csv', 'application/x-ndjson', 'text/event-stream'],
    status: 200,
    errors: ['invalidParameter', 'worldNotFound', 'eventStreamsFull'],
  }),
}
