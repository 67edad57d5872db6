import { affectedCalls } from '@quipu/broker/faults/call.ts'
import { camelCase, type Effect, type FaultEvent } from '@quipu/broker/faults/effect.ts'
import type { Match } from '@quipu/broker/faults/match.ts'
import type { FaultRule, RuleParts } from '@quipu/broker/faults/rule.ts'
import {
  completeEffect,
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
import { definedFields, formatInstant, recordEntries } from '@quipu/core/values'
import { jobKindNames } from '../../wire/issuer-wire.ts'
import { refuse } from '../../wire/refusal.ts'
import { streamNames } from '../connection/open-sockets.ts'
import { affectedFamilies } from '../faults.ts'

type NewFault = InputOf<'createFault'>['body']

/** The rule of a request; refuses names that do not exist. */
export function ruleFrom({ name, match, effect }: NewFault): RuleParts {
  for (const [field, words] of recordEntries(knownWords)) check(field, match, words)
  const parsed = effectFrom(effect)
  const calls = affectedCalls(parsed)?.map((kind) => jobKindNames[kind])
  if (calls) check('call', match, new Set(calls))
  const isLasting = faultKinds[effect.kind].on === 'market'
  return {
    ...definedFields({ name }),
    on: faultEventOf(effect),
    match: matchFrom(calls ? { ...match, call: match.call ?? calls } : match),
    effect: parsed,
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

/** With few words all are named. */
const SHOWN_MAX = 40

function check(field: WordField, match: NewFault['match'], words: ReadonlySet<string>): void {
  const index = match[field]?.findIndex((word) => !words.has(word)) ?? -1
  if (index < 0) return
  const expected =
    words.size <= SHOWN_MAX
      ? `one of ${[...words].join(', ')}`
      : `an operation such as placeOrder, or a family of ${[...affectedFamilies].join(', ')}`
  const problem = `match.${field}[${index}]: expected ${expected}, received ${JSON.stringify(match[field]?.[index])}`
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

/** The effect with the names of the code, which are the names on the wire in another case. */
function effectFrom(effect: NewFault['effect']): Effect {
  const fields = Object.entries(completeEffect(effect)).map(([field, value]) => [camelCase(field), value])
  return { ...Object.fromEntries(fields), kind: camelCase(effect.kind) } as Effect
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function effectToWire({ kind, ...fields }: Effect, on: FaultEvent): FaultRecord['effect'] {
  const name = snakeCase(kind) as FaultKindName
  return {
    kind: name,
    ...(on === 'message' && faultKinds[name].on === 'connection' ? { on } : {}),
    ...Object.fromEntries(Object.entries(fields).map(([field, value]) => [snakeCase(field), value])),
  }
}

export function ruleToWire(rule: FaultRule): FaultRecord {
  const { name, on, match, effect, times } = rule.parts
  const { clientOrderId, from, to, call, ...same } = match
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
    effect: effectToWire(effect, on),
    times: Number.isFinite(times) ? times : null,
    matched: rule.matched,
    consumed: rule.consumed,
    consumed_at: rule.consumedAt.map(formatInstant),
    exhausted: rule.isExhausted,
    created_at: formatInstant(rule.createdAt),
  }
}
