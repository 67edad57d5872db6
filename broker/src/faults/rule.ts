import { type Instant, keyOf, mix, uniform } from '@quipu/core'
import type { Effect, Effects, FaultEvent } from './effect.ts'
import type { Match } from './match.ts'

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
}
