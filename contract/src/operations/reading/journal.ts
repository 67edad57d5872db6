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
  number: integer().about('Its place in the journal.'),
  at: timestamp(),
  kind: text(),
  account_id: optional(uuid()),
  order_id: optional(uuid()),
  request_id: optional(requestId()).about(
    'The request that asked for it; absent for what time or the market brought.',
  ),
  event: map(anything()).about(
    'All of it but digests of secrets: amounts as decimals, instants as timestamps.',
  ),
}).named('JournalEvent')

export const LedgerLeg = record({
  number: integer().about('Of the event that booked it.'),
  leg: integer().about('Its place in the posting; the legs of one add up to nothing.'),
  at: timestamp(),
  kind: text().about('Of the event.'),
  ledger_account: text(),
  account_id: optional(uuid()).about('Whose ledger account it is, if a customer has it.'),
  asset: text(),
  amount: decimalText().about('What arrived; negative: what left.'),
  order_id: optional(uuid()),
  request_id: optional(requestId()),
}).named('LedgerLeg')

export const journal = {
  listEvents: operation({
    ...sharedReading,
    method: 'GET',
    path: '/sim/v1/worlds/{world}/events',
    summary: 'What happened in a world, in the order it happened.',
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
    summary: 'Every movement of money and shares, leg by leg; a page ends with a whole posting.',
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
