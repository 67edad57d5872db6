import type { Effect } from '@quipu/broker/faults/effect.ts'
import type { FaultRule, Match, RuleParts } from '@quipu/broker/faults/rule.ts'
import {
  cryptoChannels,
  type FaultKindName,
  type FaultRecord,
  faultEventOf,
  faultKinds,
  type InputOf,
  type Operation,
  operations,
  stockChannels,
  tradeEvents,
} from '@quipu/contract'
import { definedFields, formatInstant } from '@quipu/core'
import { jobKindNames } from '../../wire/issuer-wire.ts'
import { refuse } from '../../wire/refusal.ts'
import { streamNames } from '../connection/open-sockets.ts'
import { affectedFamilies } from '../faults.ts'

type NewFault = InputOf<'createFault'>['body']

/** Values of fields that the client may omit. */
const defaults: Readonly<Partial<Record<FaultKindName, object>>> = {
  status: { applied: false, retryAfterSeconds: 1 },
  delay: { applied: false },
  reset: { applied: false },
  close: { code: 1001, message: '' },
  reorder: { by: 1, ms: 1000 },
  lost_subscription: { acknowledged: true },
  refused_authentication: { as: 'wrong_credentials' },
  outage: { status: 503 },
  call_refused: { message: 'Insufficient Eligibility: Client not eligible' },
  call_failed: { message: 'no answer' },
}

/** The rule of a request; refuses names that do not exist. */
export function ruleFrom({ name, match, effect }: NewFault): RuleParts {
  for (const [field, words] of Object.entries(knownWords)) check(field as WordField, match, words)
  const isRefusal = effect.kind === 'call_refused'
  if (isRefusal) check('call', match, refusableCalls)
  const isLasting = faultKinds[effect.kind].on === 'market'
  return {
    ...definedFields({ name }),
    on: faultEventOf(effect),
    match: matchFrom(isRefusal ? { ...match, call: match.call ?? [...refusableCalls] } : match),
    effect: effectFrom(effect),
    times: match.times ?? match.next ?? (isLasting ? Number.POSITIVE_INFINITY : 1),
  }
}

type WordField = 'operation' | 'stream' | 'message' | 'call'

const affected = Object.entries<Operation>(operations).filter(([, { family }]) =>
  affectedFamilies.has(family),
)

const knownWords: Readonly<Record<WordField, ReadonlySet<string>>> = {
  operation: new Set([...affectedFamilies, ...affected.map(([name]) => name)]),
  stream: streamNames,
  message: new Set([...tradeEvents, ...stockChannels, ...cryptoChannels]),
  call: new Set(Object.values(jobKindNames)),
}

const refusableCalls: ReadonlySet<string> = new Set(['mint', 'custody', 'confirm', 'connect'])

/** With few words all are named. */
const SHOWN_MAX = 40

function check(field: WordField, match: NewFault['match'], words: ReadonlySet<string>): void {
  const index = match[field]?.findIndex((word) => !words.has(word)) ?? -1
  if (index < 0) return
  const expected =
    words.size <= SHOWN_MAX
      ? `one of ${[...words].join(', ')}`
      : `an operation such as placeOrder, or a family of ${[...affectedFamilies].join(', ')}`
  const problem = `match.${field}[${index}]: expected ${expected}, received ${JSON.stringify(match[field]![index])}`
  throw refuse({ code: 'invalidParameter', problem })
}

function matchFrom({ client_order_id, share, from, to, call, times: _, ...same }: NewFault['match']): Match {
  return definedFields({
    ...same,
    clientOrderId: client_order_id,
    share: share === undefined ? undefined : Number(share),
    from: from?.nanos,
    to: to?.nanos,
    call: call && Object.entries(jobKindNames).flatMap(([kind, word]) => (call.includes(word) ? [kind] : [])),
  }) as Match
}

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function effectFrom({ kind, on: _, ...fields }: NewFault['effect']): Effect {
  const named = Object.fromEntries(Object.entries(fields).map(([field, value]) => [camel(field), value]))
  const drawn = fields.min_ms === undefined ? {} : { distribution: 'uniform' }
  return { kind: camel(kind), ...defaults[kind], ...drawn, ...named } as Effect
}

export function ruleToWire(rule: FaultRule): FaultRecord {
  const { name, on, match, effect, times } = rule.parts
  const { clientOrderId, from, to, call, ...same } = match
  const { kind, ...fields } = effect
  const isOnMessage = on === 'message' && faultKinds[snake(kind) as FaultKindName].on === 'connection'
  return {
    id: String(rule.number),
    ...definedFields({ name }),
    match: definedFields({
      ...same,
      client_order_id: clientOrderId,
      from: from && formatInstant(from),
      to: to && formatInstant(to),
      call: call?.map((one) => jobKindNames[one as keyof typeof jobKindNames]),
    }) as FaultRecord['match'],
    effect: {
      kind: snake(kind) as FaultKindName,
      ...(isOnMessage ? { on: 'message' as const } : {}),
      ...Object.fromEntries(Object.entries(fields).map(([field, value]) => [snake(field), value])),
    },
    times: Number.isFinite(times) ? times : null,
    matched: rule.matched,
    consumed: rule.consumed,
    consumed_at: rule.consumedAt.map(formatInstant),
    exhausted: rule.isExhausted,
    created_at: formatInstant(rule.createdAt),
  }
}
