import {
  bool,
  closedRecord,
  decimal,
  integer,
  list,
  moment,
  oneOf,
  optional,
  type Problem,
  record,
  text,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { type FaultEvent, type FaultKindName, faultKinds } from './fault-kinds.table.ts'

const counting = ['nth', 'next', 'share', 'times', 'from', 'to'] as const

/** The fields of `match` that fit each event. */
const matchFieldsOf: Readonly<Record<FaultEvent, readonly string[]>> = {
  request: ['operation', 'account', 'symbol', 'client_order_id', ...counting],
  // A connection meets its rules when they are created and when it authenticates, not at an instant.
  connection: ['stream', 'account', 'nth', 'next', 'share', 'times'],
  message: ['stream', 'account', 'symbol', 'client_order_id', 'message', ...counting],
  subscription: ['stream', 'account', 'symbol', ...counting],
  authentication: ['stream', 'account', ...counting],
  market: ['symbol', ...counting],
  call: ['call', 'account', 'symbol', ...counting],
}

const words = () => list(text({ min: 1, max: 64 }), { max: 50 })
const MS_MAX = 600_000
const ms = () => optional(integer({ min: 1, max: MS_MAX }))

/** The statuses that a rule can send. */
export const faultStatuses = [400, 401, 403, 404, 408, 429, 500, 502, 503, 504] as const
export type FaultStatus = (typeof faultStatuses)[number]

export const FaultMatch = record({
  operation: optional(words()).about(
    'Operations by name (placeOrder) or family (trading, data, broker, oauth, tokenization). Default: all of these.',
  ),
  account: optional(uuid()).about('Account id. Default: every account.'),
  symbol: optional(words()).about('Symbols of an order, a query, a message or a call.'),
  client_order_id: optional(text({ min: 1, max: 128 })),
  stream: optional(words()).about(
    'Streams: trade_updates, market_data, events (server-sent), or a path such as /v2/iex. Default: all but events.',
  ),
  message: optional(words()).about(
    'Types of stream messages: events of trade updates (fill) or channels (quotes). Default: all.',
  ),
  call: optional(words()).about(
    'Calls to issuers and chains: mint, custody, confirm, reject, connect, chain_mint. Default: all.',
  ),
  nth: optional(integer({ min: 1, max: 1_000_000_000 })).about('The first match to affect. Default: 1.'),
  next: optional(integer({ min: 1, max: 1_000_000_000 })).about(
    'How many matches, from the first one on, may be affected. Default: all.',
  ),
  share: optional(decimal({ decimals: 6 })).about(
    'Share of these matches to affect, above 0 and at most 1, drawn from the seed. Needs `next` or `times`.',
  ),
  times: optional(integer({ min: 1, max: 1_000_000_000 })).about(
    'Budget: how often the rule is applied. Default: `next` if set, else 1; no limit for outage and stale_quotes.',
  ),
  from: optional(moment()).about('Start (inclusive) by the clock of the world. Default: now.'),
  to: optional(moment()).about('End (exclusive) by the clock of the world. Default: never.'),
}).named('FaultMatch')

export const FaultEffect = record({
  kind: oneOf(...(Object.keys(faultKinds) as FaultKindName[])).about(
    Object.entries(faultKinds)
      .map(([kind, { about }]) => `${kind}: ${about}`)
      .join(' '),
  ),
  status: optional(integer({ min: 400, max: 599 })).about(
    `Status of the error: ${faultStatuses.join(', ')}. Required for status. Default for outage: 503.`,
  ),
  applied: optional(bool()).about('Whether the request is applied before the effect. Default: false.'),
  retry_after_seconds: optional(integer({ min: 0, max: 3600 })).about(
    'Retry-After of a 429 or 503. Default: 1.',
  ),
  message: optional(text({ min: 1, max: 120 })).about(
    'Message of the error body, reason of the close frame, reason of a refusal, or problem of a failed call.',
  ),
  ms: ms().about('Milliseconds of real time. silence: default without end. reorder: default 1000.'),
  min_ms: ms().about('Shortest delay. Needs max_ms.'),
  max_ms: ms().about('Longest delay. Needs min_ms.'),
  distribution: optional(oneOf('uniform', 'long_tail')).about(
    'How delays between min_ms and max_ms are drawn from the seed. Default: uniform.',
  ),
  client_timeout_ms: ms().about('Timeout of the client: the delay is half a second longer.'),
  code: optional(integer({ min: 1000, max: 4999 })).about('Close code. Default: 1001.'),
  on: optional(oneOf('connection', 'message')).about(
    'connection: at once, or when a stream authenticates. message: in place of a message. Default: connection.',
  ),
  by: optional(integer({ min: 1, max: 100 })).about('How many later messages are sent first. Default: 1.'),
  acknowledged: optional(bool()).about('Whether the lost subscription is acknowledged. Default: true.'),
  as: optional(oneOf('wrong_credentials', 'connection_limit')).about(
    'Error of the refusal. Default: wrong_credentials.',
  ),
}).named('FaultEffect')

const draftWith = (match: typeof FaultMatch) =>
  record({
    name: optional(text({ min: 1, max: 100 })).about('Your name of the rule.'),
    match: withDefault(closedRecord(match), {}),
    effect: closedRecord(FaultEffect),
  })

type Draft = Parameters<Parameters<ReturnType<typeof draftWith>['refine']>[0]>[0]
type Effect = Draft['effect']

const newFault = (match: typeof FaultMatch, name: string) =>
  closedRecord(
    draftWith(match)
      .refine(({ effect }) =>
        unfitting('effect', effect, ['kind', ...faultKinds[effect.kind].fields], effect),
      )
      .refine(({ match, effect }) => unfitting('match', match, matchFieldsOf[faultEventOf(effect)], effect))
      .refine(({ match }) => countingProblem(match))
      .refine(({ effect }) => effectProblem(effect))
      .named(name),
  )

export const NewFault = newFault(FaultMatch, 'NewFault')

const namedAccount = text({
  pattern: /^[a-z0-9][a-z0-9_-]{0,39}$/,
  expected: 'the name or id of an account',
  example: 'trader',
})

/** A fault rule of a scenario, which knows the names of its accounts and not their ids. */
export const ScenarioFault = newFault(
  record({
    ...FaultMatch.fields,
    account: optional(namedAccount).about(
      'Name of an account of the scenario, or its id. Default: every account.',
    ),
  }).named('ScenarioFaultMatch'),
  'ScenarioFault',
)

/** What a rule with this effect is matched against. */
export const faultEventOf = ({ kind, on }: Pick<Effect, 'kind' | 'on'>): FaultEvent =>
  on === 'message' ? 'message' : faultKinds[kind].on

const problem = (field: string, text: string): Problem => ({ field, message: `${field}: ${text}` })

function unfitting(
  part: string,
  fields: object,
  allowed: readonly string[],
  { kind }: Effect,
): Problem | undefined {
  const name = Object.keys(fields).find((field) => !allowed.includes(field))
  if (name === undefined) return undefined
  const expected = allowed.filter((field) => field !== 'kind').join(', ') || 'none'
  return problem(`${part}.${name}`, `not a field of the effect ${kind}; expected ${expected}`)
}

function countingProblem({ share, next, times, from, to }: Draft['match']): Problem | undefined {
  if (from !== undefined && to !== undefined && to.nanos <= from.nanos)
    return problem('match.to', 'expected an instant after match.from')
  if (share === undefined) return undefined
  if (Number(share) <= 0 || Number(share) > 1)
    return problem('match.share', `expected a share above 0 and at most 1, received ${share}`)
  return next === undefined && times === undefined
    ? problem('match.times', 'required with share, because every rule has a budget; or set match.next')
    : undefined
}

const forms: Readonly<Partial<Record<FaultKindName, true>>> = { delay: true, slow: true, call_delayed: true }

function effectProblem(effect: Effect): Problem | undefined {
  const { kind, status, applied, code } = effect
  if (kind === 'status' && status === undefined) return problem('effect.status', 'required for kind status')
  if (status !== undefined && !(faultStatuses as readonly number[]).includes(status))
    return problem('effect.status', `expected one of ${faultStatuses.join(', ')}, received ${status}`)
  if (kind === 'status' && applied && status! < 500 && status !== 408)
    return problem('effect.applied', `a request that gets ${status} is never applied; use a 5xx or 408`)
  if (kind === 'close' && code !== undefined && !isSendable(code))
    return problem('effect.code', `expected a close code of RFC 6455 that can be sent, received ${code}`)
  return forms[kind] ? delayProblem(effect) : undefined
}

/** 1004, 1005, 1006 and 1015 are reserved and never sent. */
const isSendable = (code: number): boolean =>
  code >= 3000 || (code <= 1014 && ![1004, 1005, 1006].includes(code))

/** A delay is fixed, drawn between two bounds, or just over the timeout of the client. */
function delayProblem({
  kind,
  ms,
  min_ms,
  max_ms,
  client_timeout_ms,
  distribution,
}: Effect): Problem | undefined {
  const isDrawn = min_ms !== undefined || max_ms !== undefined
  const used = [ms !== undefined, isDrawn, client_timeout_ms !== undefined].filter(Boolean).length
  const choice =
    kind === 'delay' ? 'ms, min_ms with max_ms, or client_timeout_ms' : 'ms, or min_ms with max_ms'
  if (used !== 1) return problem('effect.ms', `expected one of: ${choice}`)
  if (!isDrawn)
    return distribution === undefined ? undefined : problem('effect.distribution', 'needs min_ms and max_ms')
  if (min_ms === undefined) return problem('effect.min_ms', 'required with max_ms')
  if (max_ms === undefined) return problem('effect.max_ms', 'required with min_ms')
  return max_ms < min_ms ? problem('effect.max_ms', 'expected at least min_ms') : undefined
}
