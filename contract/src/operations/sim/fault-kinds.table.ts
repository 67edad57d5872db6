import type { EffectField, EffectValues } from './fault-fields.ts'

/** What a rule is matched against: each effect belongs to one of them. */
export type FaultEvent =
  | 'request'
  | 'connection'
  | 'message'
  | 'subscription'
  | 'authentication'
  | 'market'
  | 'call'

export type FaultKind = {
  readonly on: FaultEvent
  /** Its fields; `on` selects between a connection and a message. */
  readonly fields: readonly EffectField[]
  /** Fields that a client must send. */
  readonly required?: readonly EffectField[]
  /** Values of fields that a client may omit. Other fields stay absent. */
  readonly defaults?: Partial<EffectValues>
  readonly about: string
}

const delayFields = ['ms', 'min_ms', 'max_ms', 'distribution'] as const

/** Every kind of effect: what it is matched against, and its fields. The effects are in `broker/src/faults`. */
export const faultKinds = {
  status: {
    on: 'request',
    fields: ['status', 'applied', 'retry_after_seconds', 'message'],
    required: ['status'],
    defaults: { applied: false, retry_after_seconds: 1 },
    about: 'Answer with an error status.',
  },
  delay: {
    on: 'request',
    fields: [...delayFields, 'client_timeout_ms', 'applied'],
    defaults: { applied: false },
    about: 'Wait before the request is applied, or before its response.',
  },
  request_lost: {
    on: 'request',
    fields: [],
    about: 'Close the connection before the request is applied.',
  },
  answer_lost: {
    on: 'request',
    fields: [],
    about: 'Apply the request, then close the connection without a response.',
  },
  reset: {
    on: 'request',
    fields: ['applied'],
    defaults: { applied: false },
    about: 'Reset the connection (TCP RST).',
  },
  truncated: {
    on: 'request',
    fields: [],
    about: 'Apply the request, send half of the body, then close the connection.',
  },
  close: {
    on: 'connection',
    fields: ['code', 'message', 'on'],
    defaults: { code: 1001, message: '' },
    about: 'Close the stream with a code.',
  },
  silence: {
    on: 'connection',
    fields: ['ms', 'on'],
    about: 'Send only pings and pongs. Other messages are lost.',
  },
  half_open: {
    on: 'connection',
    fields: ['on'],
    about: 'Send nothing and read nothing, but keep the TCP connection open.',
  },
  slow: { on: 'connection', fields: delayFields, about: 'Delay every message; the order stays.' },
  duplicate: { on: 'message', fields: [], about: 'Send the message twice.' },
  reorder: {
    on: 'message',
    fields: ['by', 'ms'],
    defaults: { by: 1, ms: 1000 },
    about: 'Send the message after later ones.',
  },
  drop: { on: 'message', fields: [], about: 'Do not send the message.' },
  lost_subscription: {
    on: 'subscription',
    fields: ['acknowledged'],
    defaults: { acknowledged: true },
    about: 'Ignore a subscription, with or without an acknowledgement.',
  },
  refused_authentication: {
    on: 'authentication',
    fields: ['as'],
    defaults: { as: 'wrong_credentials' },
    about: 'Refuse right credentials of a stream.',
  },
  outage: {
    on: 'market',
    fields: ['status'],
    defaults: { status: 503 },
    about: 'Market data fails on REST and stops on streams. Trading goes on.',
  },
  stale_quotes: {
    on: 'market',
    fields: [],
    about: 'Latest quotes and trades stay as they were when the rule began. Trading goes on.',
  },
  call_refused: {
    on: 'call',
    fields: ['message'],
    defaults: { message: 'Insufficient Eligibility: Client not eligible' },
    about: 'The issuer refuses a mint, a confirmation, a custody lookup or a link.',
  },
  call_delayed: { on: 'call', fields: delayFields, about: 'The call to an issuer or chain waits.' },
  call_failed: {
    on: 'call',
    fields: ['message'],
    defaults: { message: 'no response' },
    about: 'The call is not made, and is retried later.',
  },
  call_answer_lost: {
    on: 'call',
    fields: [],
    about: 'The call is made and its response is lost. It is retried later.',
  },
} as const satisfies Record<string, FaultKind>

export type FaultKindName = keyof typeof faultKinds

type Row<Kind extends FaultKindName> = (typeof faultKinds)[Kind]
type FieldOf<Kind extends FaultKindName> = Row<Kind>['fields'][number]
type CertainFieldOf<Kind extends FaultKindName> =
  | (Row<Kind> extends { readonly required: readonly (infer Field)[] } ? Field : never)
  | (Row<Kind> extends { readonly defaults: infer Defaults } ? keyof Defaults : never)

/** An effect with its defaults. */
export type FaultEffectOf<Kind extends FaultKindName> = {
  readonly [One in Kind]: { readonly kind: One } & Pick<EffectValues, CertainFieldOf<One> & EffectField> &
    Partial<Pick<EffectValues, Exclude<FieldOf<One>, CertainFieldOf<One>>>>
}[Kind]
