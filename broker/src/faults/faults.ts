import type { Instant } from '@quipu/core'
import type { Effects, FaultEvent } from './effect.ts'
import { matches, type RequestFacts } from './match.ts'
import { FaultRule, type RuleParts } from './rule.ts'

/** An effect that applies now. `draw` is its number between 0 and 1. */
export type Fault<Event extends FaultEvent> = {
  readonly rule: FaultRule
  readonly effect: Effects[Event]
  readonly draw: number
}

/** The fault rules of one world, by their number. A world without rules has no such object. */
export class Faults {
  readonly #seed: string
  readonly #changed: () => void
  readonly #rules = new Map<number, FaultRule>()
  #lastNumber = 0

  constructor(seed: string, changed: () => void = () => undefined) {
    this.#seed = seed
    this.#changed = changed
  }

  get size(): number {
    return this.#rules.size
  }

  /** The rules that operators have created. */
  get created(): number {
    return this.all().filter(({ parts }) => !parts.isAutomatic).length
  }

  all(): readonly FaultRule[] {
    return [...this.#rules.values()]
  }

  get(number: number): FaultRule | undefined {
    return this.#rules.get(number)
  }

  create(parts: RuleParts, at: Instant): FaultRule {
    this.#lastNumber += 1
    const rule = new FaultRule(this.#seed, this.#lastNumber, parts, at)
    this.#rules.set(rule.number, rule)
    this.#changed()
    return rule
  }

  /**
   * Creates the rule of a client order id, once. If the limit of such rules is reached, it takes the place of the oldest one
   * that is exhausted. Returns false if there is none.
   */
  createAutomatic(parts: RuleParts, at: Instant, max: number): boolean {
    const { clientOrderId, account } = parts.match
    const automatic = this.all().filter(({ parts: { isAutomatic } }) => isAutomatic)
    if (
      automatic.some(
        ({ parts: { match } }) => match.clientOrderId === clientOrderId && match.account === account,
      )
    )
      return true
    if (automatic.length >= max) {
      const oldest = automatic.find(({ isExhausted }) => isExhausted)
      if (oldest === undefined) return false
      this.delete(oldest)
    }
    this.create(parts, at)
    return true
  }

  /** Numbers are not used again. */
  delete(rule: FaultRule): void {
    rule.isDeleted = true
    this.#rules.delete(rule.number)
    this.#changed()
  }

  /**
   * Counts a match of every rule that fits, or only of `only`. Returns the effect of the oldest rule that wants to
   * apply.
   */
  meet<Event extends FaultEvent>(on: Event, facts: RequestFacts, only?: FaultRule): Fault<Event> | undefined {
    let first: FaultRule | undefined
    for (const rule of only ? [only] : this.#rules.values())
      if (fits(rule.parts, on, facts) && rule.count()) first ??= rule
    if (first === undefined) return undefined
    first.consume(facts.now())
    this.#changed()
    return { rule: first, effect: first.effect as Effects[Event], draw: first.nextDraw() }
  }
}

const fits = ({ on, effect, match }: RuleParts, event: FaultEvent, facts: RequestFacts): boolean =>
  on === event && (facts.kind === undefined || facts.kind === effect.kind) && matches(match, facts)
