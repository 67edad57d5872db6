import {
  bool,
  decimal,
  integer,
  list,
  moment,
  oneOf,
  optional,
  record,
  type TypeOf,
  text,
  uuid,
} from '../../shape/index.ts'

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

export type MatchField = keyof typeof FaultMatch.fields

/** The fields of effects. Each kind has some of them. */
export const effectFields = {
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
}

export type EffectField = keyof typeof effectFields
export type EffectValues = {
  readonly [Field in EffectField]: NonNullable<TypeOf<(typeof effectFields)[Field]>>
}
