import { type Instant, keyOf, mix, uniform } from '@quipu/core'
import type { Effect, EffectKind, Effects, FaultEvent } from './effect.ts'

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

export type RuleParts<Event extends FaultEvent = FaultEvent> = {
  readonly name?: string
  readonly on: Event
  readonly match: Match
  readonly effect: Effects[Event]
  /** Maximum number of applications; Infinity without a limit. */
  readonly times: number
  /** Created by a client order id, not by an operator. */
  readonly isAutomatic?: boolean
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

/** How many times of applications a rule keeps. */
const TIMES_MAX = 20

/** Separates the draws of shares from those of delays. */
const DELAYS = 1

/** A rule with its counts. The same seed, number and matches give the same result. */
export class FaultRule {
  readonly number: number
  readonly parts: RuleParts
  readonly createdAt: Instant
  matched = 0
  consumed = 0
  /** The last applications. */
  readonly consumedAt: Instant[] = []
  isDeleted = false
  readonly #key: number
  #draws = 0

  constructor(seed: string, number: number, parts: RuleParts, createdAt: Instant) {
    this.number = number
    this.parts = parts
    this.createdAt = createdAt
    this.#key = mix(keyOf(`${seed}/faults`), number)
  }

  get effect(): Effect {
    return this.parts.effect
  }

  get isExhausted(): boolean {
    const { nth = 1, next = Number.POSITIVE_INFINITY } = this.parts.match
    return this.consumed >= this.parts.times || this.matched >= nth - 1 + next
  }

  /** Whether the conditions hold; counts nothing. */
  fits(facts: RequestFacts): boolean {
    const { operation, account, symbol, clientOrderId, stream, message, call } = this.parts.match
    return (
      (facts.kind === undefined || facts.kind === this.effect.kind) &&
      (operation === undefined || overlaps(operation, facts.operation)) &&
      (account === undefined || account === facts.accountId) &&
      (symbol === undefined || overlaps(symbol, facts.symbols)) &&
      (clientOrderId === undefined || clientOrderId === facts.clientOrderId) &&
      (stream === undefined ? facts.isNamedOnly !== true : overlaps(stream, facts.stream)) &&
      (message === undefined || (facts.message !== undefined && message.includes(facts.message))) &&
      (call === undefined || (facts.call !== undefined && call.includes(facts.call))) &&
      this.#isInTime(facts)
    )
  }

  /** Counts a match. Returns whether the rule wants to affect it. */
  count(): boolean {
    const isOver = this.isExhausted
    this.matched += 1
    const { nth = 1, share = 1 } = this.parts.match
    if (isOver || this.matched < nth) return false
    return share === 1 || uniform(this.#key, this.matched) < share
  }

  /** Counts an application. */
  consume(at: Instant): void {
    this.consumed += 1
    this.consumedAt.push(at)
    if (this.consumedAt.length > TIMES_MAX) this.consumedAt.shift()
  }

  /** The next number between 0 and 1 for delays. */
  nextDraw(): number {
    this.#draws += 1
    return uniform(mix(this.#key, DELAYS), this.#draws)
  }

  #isInTime({ now }: RequestFacts): boolean {
    const { from, to } = this.parts.match
    if (from === undefined && to === undefined) return true
    const at = now()
    return (from === undefined || at >= from) && (to === undefined || at < to)
  }
}

const overlaps = (wanted: readonly string[], actual: readonly string[] | undefined): boolean =>
  actual?.some((one) => wanted.includes(one)) === true
