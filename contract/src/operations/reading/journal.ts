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
import { ofWorldOrOwner } from '../sim/world-param.ts'
import {
  eventFilters,
  formatParameter,
  nextCursor,
  paging,
  requestId,
  resuming,
} from './reading-parameters.ts'

export const JournalEventShape = record({
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

export const LedgerLegShape = record({
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
  symbol: optional(text()).about('Share that the posting is about: of the fill, dividend or transfer.'),
  qty: optional(decimalText()).about('Quantity of the fill, dividend or transfer.'),
  price: optional(decimalText()).about('Price of the fill, or amount of a dividend per share.'),
  execution_id: optional(uuid()).about('Fill of the order.'),
  tokenization_request_id: optional(uuid()),
}).named('LedgerLeg')

export const journal = {
  listEvents: operation('GET /sim/v1/worlds/{world}/events', ofWorldOrOwner, {
    summary: 'List events of a world in journal order. An account sees its own.',
    query: record({ ...paging, ...eventFilters }),
    headers: record(resuming),
    output: record({ events: array(JournalEventShape), next_cursor: nextCursor }).named('EventsPage'),
    also: ['text/event-stream'],
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound', 'eventStreamsFull'],
  }),
  listPostings: operation('GET /sim/v1/worlds/{world}/postings', ofWorldOrOwner, {
    summary: 'List ledger postings, leg by leg. A page never splits a posting. An account sees its own legs.',
    query: record({
      ...paging,
      ...eventFilters,
      asset: optional(text({ min: 1, max: 80, example: 'USD' })),
      format: formatParameter,
    }),
    headers: record(resuming),
    output: record({ postings: array(LedgerLegShape, { max: 100_000 }), next_cursor: nextCursor }).named(
      'PostingsPage',
    ),
    also: ['text/csv', 'application/x-ndjson', 'text/event-stream'],
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound', 'eventStreamsFull'],
  }),
}
