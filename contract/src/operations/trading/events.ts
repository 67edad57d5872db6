import { operation } from '../../operation.ts'
import { moment, optional, type Problem, record, text, uuid } from '../../shape/index.ts'
import { inWorld } from '../broker/accounts.ts'
import { asked } from '../tokenization/tokenization.ts'

const ulid = () => text({ pattern: /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, called: 'a ULID', max: 26 })

type Span = {
  readonly since?: unknown
  readonly until?: unknown
  readonly since_id?: unknown
  readonly until_id?: unknown
}

const places = {
  since: optional(moment()).about('From this instant on, which is included.'),
  until: optional(moment()).about('Up to this instant, which is included; then the answer ends.'),
  since_id: optional(ulid()).about('After the event of this id: what comes behind the last one received.'),
  until_id: optional(ulid()).about('Up to the event of this id, which is included; then the answer ends.'),
}
const span = record(places).refine(spanProblem)

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

const resumed = { 'last-event-id': optional(ulid()) }

const shared = {
  family: 'trading',
  method: 'GET',
  who: ['account'],
  scope: 'read',
  query: span,
  headers: record(resumed),
  raw: 'text/event-stream',
  status: 200,
  errors: ['invalidParameter', 'eventStreamsFull'],
  state: 'works',
} as const

export const accountEvents = {
  streamTradeEvents: operation({
    ...shared,
    path: '/v2/events/trades',
    summary:
      "What happens to the account's orders, as server-sent events: first what has happened, then what happens.",
  }),
  streamTradeEventsBroker: operation({
    ...shared,
    family: 'broker',
    path: '/v1/events/trades',
    summary: "What happens to the orders of all of a partner's accounts, in the same way, with `account_id`.",
    who: ['partner'],
    scope: 'never',
    query: record({
      account_id: optional(uuid()).about('Of this account alone.'),
      ...places,
      since_ulid: optional(ulid()).about('The same as since_id.'),
      until_ulid: optional(ulid()).about('The same as until_id.'),
    }).refine(brokerSpanProblem),
    headers: record({ ...inWorld.fields, ...resumed }),
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound', 'eventStreamsFull'],
  }),
  streamActivityEvents: operation({
    ...shared,
    path: '/v2beta1/events/activities',
    summary: "The account's activities in the same way.",
  }),
  streamTokenizationEvents: operation({
    ...shared,
    family: 'tokenization',
    path: '/v2/events/tokenization',
    summary: "What becomes of the account's mint and redeem requests, in the same way.",
  }),
  streamTokenizationEventsBroker: operation({
    ...shared,
    family: 'tokenization',
    path: '/v1/events/tokenization',
    summary: "The same of one of a partner's accounts, or of an issuer's, each as its side sees them.",
    who: ['partner'],
    scope: 'never',
    query: record({ account_id: uuid(), ...places }).refine(spanProblem),
    headers: record({ ...inWorld.fields, ...resumed }),
    errors: [...asked, 'invalidParameter', 'eventStreamsFull'],
  }),
}
