import { operation } from '../../operation.ts'
import {
  array,
  bool,
  integer,
  moment,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  utcDay,
  uuid,
} from '../../shape/index.ts'
import { ofWorld, operatorOnly } from '../sim/world-param.ts'
import { formatParameter, nextCursor, paging, requestId, resuming } from './reading-parameters.ts'

const callers = ['key', 'app', 'user', 'machine', 'nobody'] as const
const address = () => text({ min: 1, max: 64, example: '203.0.113.7' })

export const AuditEntryShape = record({
  number: integer().about('First event of the request in this world.'),
  at: timestamp().about('Time of the first event, by the clock of the world.'),
  kind: text().about('Kind of the first event.'),
  request_id: requestId().about('List all events of the request: events?request_id=…'),
  operation: text().about('Called operation. openStream: a WebSocket.'),
  caller: oneOf(...callers).about('Type of the credential. nobody: none, or a wrong one.'),
  key_id: optional(text()).about('Key of the caller, or of a machine client.'),
  partner_id: optional(uuid()),
  operator: optional(bool()),
  client_id: optional(text()).about('App.'),
  grant_id: optional(uuid()).about('Grant that the app used.'),
  user_id: optional(uuid()).about('User who acted, or who gave consent to the app.'),
  session_id: optional(uuid()).about('Browser session of the user.'),
  account_id: optional(uuid()).about('Account of the caller, otherwise of the event.'),
  address: optional(text()).about('Client IP address. Absent after its erasure.'),
}).named('AuditEntry')

export const auditLog = {
  listAuditLog: operation('GET /sim/v1/worlds/{world}/audit-log', ofWorld, {
    summary: 'List requests that caused events, with caller and client address.',
    query: record({
      ...paging,
      account_id: optional(uuid()),
      caller: optional(text({ min: 1, max: 64 })).about(
        'Id of a key, partner, app (client id), grant, user or session.',
      ),
      operation: optional(text({ min: 1, max: 60, example: 'placeOrder' })),
      request_id: optional(requestId()),
      address: optional(address()),
      since: optional(moment()).about('Inclusive.'),
      until: optional(moment()).about('Exclusive.'),
      format: formatParameter,
    }),
    headers: record(resuming),
    output: record({
      entries: array(AuditEntryShape),
      next_cursor: nextCursor,
    }).named('AuditLogPage'),
    also: ['text/csv', 'application/x-ndjson', 'text/event-stream'],
    errors: ['invalidParameter', 'worldNotFound', 'eventStreamsFull'],
  }),
  eraseAddresses: operation('POST /sim/v1/audit-log/erase', operatorOnly, {
    summary: 'Erase client addresses from the audit log of all worlds. The other fields stay.',
    body: record({
      address: optional(address()).about('Erase this address.'),
      before: optional(utcDay()).about(
        'Erase addresses recorded before this day (UTC, by the clock of the machine).',
      ),
    }).named('AddressErasure'),
    output: record({
      erased: integer().about('Number of erased addresses. An address counts once per day.'),
    }).named('ErasedAddresses'),
    errors: ['invalidParameter'],
  }),
}
