import { operation } from '../../operation.ts'
import { moment, optional, type Problem, record, text, uuid } from '../../shape/index.ts'
import { inPartnerWorld } from '../broker/accounts.ts'
import { sharedErrors } from '../tokenization/tokenization.ts'

const ulid = () => text({ pattern: /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, expected: 'a ULID', max: 26 })

type Span = {
  readonly since?: unknown
  readonly until?: unknown
  readonly since_id?: unknown
  readonly until_id?: unknown
}

const rangeFields = {
  since: optional(moment()).about('Start time (inclusive).'),
  until: optional(moment()).about('End time (inclusive). The stream then ends.'),
  since_id: optional(ulid()).about('Start after the event with this id.'),
  until_id: optional(ulid()).about('End with the event with this id. The stream then ends.'),
}
const span = record(rangeFields).refine(spanProblem)

function spanProblem({ since, until, since_id, until_id }: Span): Problem | undefined {
  if (since !== undefined && since_id !== undefined)
    return { field: 'since_id', message: 'only one of since or since_id is accepted' }
  if (until !== undefined && until_id !== undefined)
    return { field: 'until_id', message: 'only one of until or until_id is accepted' }
  if (until !== undefined && since === undefined) return { field: 'until', message: 'until requires since' }
  if (until_id !== undefined && since_id === undefined)
    return { field: 'until_id', message: 'until_id requires since_id' }
  return undefined
}

type BrokerSpan = Span & { readonly since_ulid?: unknown; readonly until_ulid?: unknown }

const brokerSpanProblem = ({ since_ulid, until_ulid, since_id, until_id, ...span }: BrokerSpan) =>
  spanProblem({ ...span, since_id: since_id ?? since_ulid, until_id: until_id ?? until_ulid })

const resumeHeader = { 'last-event-id': optional(ulid()) }

const shared = {
  family: 'trading',
  who: ['account'],
  scope: 'read',
  query: span,
  headers: record(resumeHeader),
  raw: 'text/event-stream',
  errors: ['invalidParameter', 'eventStreamsFull'],
} as const

export const accountEventOperations = {
  streamTradeEvents: operation('GET /v2/events/trades', shared, {
    summary:
      'Stream order updates of the account as server-sent events: past updates first, then live updates.',
  }),
  streamTradeEventsBroker: operation('GET /v1/events/trades', shared, {
    family: 'broker',
    summary: 'Stream order updates of all accounts of a partner as server-sent events, with `account_id`.',
    who: ['partner'],
    scope: 'never',
    query: record({
      account_id: optional(uuid()).about('Only this account.'),
      ...rangeFields,
      since_ulid: optional(ulid()).about('Same as since_id.'),
      until_ulid: optional(ulid()).about('Same as until_id.'),
    }).refine(brokerSpanProblem),
    headers: record({ ...inPartnerWorld.fields, ...resumeHeader }),
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound', 'eventStreamsFull'],
  }),
  streamActivityEvents: operation('GET /v2beta1/events/activities', shared, {
    summary: 'Stream activities of the account as server-sent events.',
  }),
  streamTokenizationEvents: operation('GET /v2/events/tokenization', shared, {
    family: 'tokenization',
    summary: 'Stream updates of mint and redeem requests of the account as server-sent events.',
  }),
  streamTokenizationEventsBroker: operation('GET /v1/events/tokenization', shared, {
    family: 'tokenization',
    summary: 'Stream updates of mint and redeem requests of a partner account or an issuer account.',
    who: ['partner', 'issuer'],
    scope: 'never',
    query: record({ account_id: uuid(), ...rangeFields }).refine(spanProblem),
    headers: record({ ...inPartnerWorld.fields, ...resumeHeader }),
    errors: [...sharedErrors, 'invalidParameter', 'eventStreamsFull'],
  }),
}
