import type { Instant } from '@quipu/core'
import type { EffectKind } from './effect.ts'

/** The conditions of a rule; an absent condition always holds. */
export type Match = {
  /** Names and families of operations. */
  readonly operation?: readonly string[]
  readonly account?: string
  readonly symbol?: readonly string[]
  readonly clientOrderId?: string
  /** Groups and paths of streams. */
  readonly stream?: readonly string[]
  /** Types of stream messages. */
  readonly message?: readonly string[]
  readonly call?: readonly string[]
  /** The first match to affect, from 1. */
  readonly nth?: number
  /** How many matches from the first one on may be affected. */
  readonly next?: number
  readonly share?: number
  readonly from?: Instant
  readonly to?: Instant
}

/** The properties of a request, connection, message or call that rules are matched against. */
export type RequestFacts = {
  readonly now: () => Instant
  /** Only rules with this effect. */
  readonly kind?: EffectKind
  readonly accountId?: string | undefined
  readonly symbols?: readonly string[] | undefined
  readonly clientOrderId?: string | undefined
  /** Name and family. */
  readonly operation?: readonly string[]
  /** Group and path. */
  readonly stream?: readonly string[]
  /** Only rules that name the stream: the SDK opens event streams by itself, and must not use up other rules. */
  readonly isNamedOnly?: boolean
  readonly message?: string | undefined
  readonly call?: string
}

/** Whether all conditions hold. */
export function matches(match: Match, facts: RequestFacts): boolean {
  const { operation, account, symbol, clientOrderId, stream, message, call } = match
  return (
    (operation === undefined || overlaps(operation, facts.operation)) &&
    (account === undefined || account === facts.accountId) &&
    (symbol === undefined || overlaps(symbol, facts.symbols)) &&
    (clientOrderId === undefined || clientOrderId === facts.clientOrderId) &&
    (stream === undefined ? facts.isNamedOnly !== true : overlaps(stream, facts.stream)) &&
    (message === undefined || (facts.message !== undefined && message.includes(facts.message))) &&
    (call === undefined || (facts.call !== undefined && call.includes(facts.call))) &&
    isInTime(match, facts)
  )
}

function isInTime({ from, to }: Match, { now }: RequestFacts): boolean {
  if (from === undefined && to === undefined) return true
  const at = now()
  return (from === undefined || at >= from) && (to === undefined || at < to)
}

const overlaps = (wanted: readonly string[], actual: readonly string[] | undefined): boolean =>
  actual?.some((one) => wanted.includes(one)) === true
