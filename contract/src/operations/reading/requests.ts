import { operation } from '../../operation.ts'
import {
  array,
  integer,
  nullable,
  number,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'
import { ofWorldOrOwner, operatorOrOwner, worldParam } from '../sim/world-param.ts'
import { JournalEventShape, LedgerLegShape } from './journal.ts'
import { nextCursor, paging, requestId, resuming } from './reading-parameters.ts'

export const LoggedRequestShape = record({
  number: integer().about('Sequence number, in the order of the responses.'),
  request_id: requestId().about('Same id as in X-Request-ID and in the log.'),
  at: timestamp().about('Arrival of the headers, by the clock of the machine.'),
  method: text(),
  path: text(),
  query: optional(text()).about('Without secrets, shortened (requestLogTextMax).'),
  body: optional(text()).about(
    'JSON, without secrets, shortened (requestLogTextMax). Absent for a request that cannot change anything.',
  ),
  address: optional(text()).about('Client IP address. Absent after its erasure.'),
  agent: optional(text()).about('User-Agent header.'),
  source: optional(oneOf('dashboard', 'app', 'cli', 'program')).about(
    'dashboard: a signed-in browser. app: an OAuth token. cli: the command quipu. program: any other client.',
  ),
  operation: optional(text()),
  status: nullable(integer()).about('null: the connection was closed without a response.'),
  code: optional(integer()).about('Error code.'),
  reason: optional(text()).about('Error reason, see the list of errors.'),
  ms: number().about('Milliseconds from headers to response.'),
  key_id: optional(text()).about('Key id or token id.'),
  account_id: optional(uuid()),
  seq: optional(integer()).about('Last event that the response includes.'),
  fault: optional(text()).about('Fault rule that changed the response.'),
}).named('LoggedRequest')

/** The User-Agent header of the command `quipu`. */
export const CLI_AGENT = 'quipu-cli'

export const requests = {
  listRequests: operation('GET /sim/v1/worlds/{world}/requests', ofWorldOrOwner, {
    summary:
      'List the latest requests of a world. Requests without a world are listed under main. An account sees its own.',
    query: record({
      ...paging,
      account_id: optional(uuid()),
      key_id: optional(text({ min: 1, max: 64 })),
      operation: optional(text({ min: 1, max: 60, example: 'placeOrder' })),
      method: optional(oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
      path: optional(text({ min: 1, max: 200, example: '/v2/orders' })).about(
        'Only paths that begin with this text.',
      ),
      source: optional(oneOf('dashboard', 'app', 'cli', 'program')),
      status: optional(integer({ min: 100, max: 599 })),
      status_min: optional(integer({ min: 100, max: 599 })).about('400: only errors.'),
    }),
    headers: record(resuming),
    output: record({ requests: array(LoggedRequestShape), next_cursor: nextCursor }).named('RequestsPage'),
    also: ['text/event-stream'],
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound', 'eventStreamsFull'],
  }),
  getRequest: operation('GET /sim/v1/worlds/{world}/requests/{request_id}', operatorOrOwner, {
    summary: 'Get a request with its events, its postings and the ids of their orders.',
    params: record({ ...worldParam, request_id: requestId() }),
    output: record({
      request: optional(LoggedRequestShape).about('Absent if newer requests have replaced it in the log.'),
      events: array(JournalEventShape),
      postings: array(LedgerLegShape, { max: 100_000 }),
      order_ids: array(uuid()),
    }).named('RequestDetails'),
    errors: ['invalidParameter', 'worldNotFound', 'requestNotFound'],
  }),
}
