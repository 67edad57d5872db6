import { operation } from '../../operation.ts'
import {
  array,
  bool,
  date,
  integer,
  moment,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'
import {
  format,
  inWorld,
  nextCursor,
  paging,
  requestId,
  resuming,
  sharedReading,
} from './reading-parameters.ts'

const callers = ['key', 'app', 'person', 'machine', 'nobody'] as const
const address = () => text({ min: 1, max: 64, example: '203.0.113.7' })

export const AuditEntry = record({
  number: integer().about('The first event of the request in this world.'),
  at: timestamp().about('Of that event, by the clock of the world.'),
  kind: text().about('Of that event.'),
  request_id: requestId().about('All its events: events?request_id=…'),
  operation: text().about('The operation that was called; openStream for a WebSocket.'),
  caller: oneOf(...callers).about('What the caller authenticated as. nobody: with nothing, or wrongly.'),
  key_id: optional(text()).about('The key of the caller, or of a machine client.'),
  partner_id: optional(uuid()),
  operator: optional(bool()),
  client_id: optional(text()).about('The app.'),
  grant_id: optional(uuid()).about('The grant an app acted on.'),
  user_id: optional(uuid()).about('The person who acted, or who allowed the app to act.'),
  session_id: optional(uuid()).about('The browser session of the person.'),
  account_id: optional(uuid()).about('The account of the caller, else the account of the event.'),
  address: optional(text()).about('The IP address of the client. Absent once it is erased.'),
}).named('AuditEntry')

export const auditLog = {
  listAuditLog: operation({
    ...sharedReading,
    method: 'GET',
    path: '/sim/v1/worlds/{world}/audit-log',
    summary: 'Who caused events: one row per request, with the caller and the client address.',
    params: record(inWorld),
    query: record({
      ...paging,
      account_id: optional(uuid()),
      caller: optional(text({ min: 1, max: 64 })).about(
        'Id of a key, partner, app (client id), grant, person or session.',
      ),
      operation: optional(text({ min: 1, max: 60, example: 'placeOrder' })),
      request_id: optional(requestId()),
      address: optional(address()),
      since: optional(moment()).about('Inclusive.'),
      until: optional(moment()).about('Exclusive.'),
      format,
    }),
    headers: record(resuming),
    output: record({
      entries: array(AuditEntry),
      next_cursor: nextCursor,
    }).named('AuditLogPage'),
    also: ['text/csv', 'application/x-ndjson', 'text/event-stream'],
    status: 200,
    errors: ['invalidParameter', 'worldNotFound', 'eventStreamsFull'],
  }),
  eraseAddresses: operation({
    ...sharedReading,
    method: 'POST',
    path: '/sim/v1/audit-log/erase',
    summary: 'Erases client addresses from the audit log of all worlds. The rest of each row stays.',
    body: record({
      address: optional(address()).about('This one.'),
      before: optional(date()).about('Those recorded before this day (UTC, by the clock of the machine).'),
    }).named('AddressErasure'),
    output: record({
      erased: integer().about('How many were erased; an address counts once for each day.'),
    }).named('ErasedAddresses'),
    status: 200,
    errors: ['invalidParameter'],
  }),
}
