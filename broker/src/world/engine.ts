import {
  apply,
  type BrokerEvent,
  type Command,
  callAnswered,
  type Decision,
  decide,
  EPOCH,
  forget,
  type Instant,
  lastOf,
  later,
  type Moment,
  max,
  type Refusal,
  type State,
  type View,
} from '@quipu/core'
import type { Cause } from '../journal/cause.ts'
import { type Committed, committedOf } from '../journal/committed.ts'
import { EventGroup } from '../journal/group.ts'
import { AppendFailed, type Journal } from '../journal/journal.ts'
import { NotApplied, notAppliedBecause } from '../journal/not-applied.ts'
import { addEvent } from '../journal/stored-event.ts'
import type { MarketPrices } from '../market/market-source.ts'
import { CommandMoment, idMaker } from './moment.ts'
import { earlierResponse, type Once, repeated } from './once.ts'
import { type DurableResponse, OutcomeUnknown, type Submitted } from './submitted.ts'

export type EngineParts = {
  readonly state: State
  readonly seed: string
  readonly journal: Journal
  readonly market: MarketPrices
  readonly now: () => Instant
  /** How many responses may wait for the disk. */
  readonly queueMax: number
  /** Called once per group, after the group is durable and before its responses are sent. */
  readonly committed: (events: readonly Committed[]) => void
  /** Called for each refused command of a request. */
  readonly refused?: (cause: string, command: Command, reason: Refusal) => void
  /** Called before a group is appended: resolves once the data that its records refer to is durable; undefined if it is. */
  readonly prepared?: (() => Promise<void> | undefined) | undefined
  /** Called when the journal failed: this engine has stopped and the world must be rebuilt. */
  readonly crashed: (error: unknown) => void
}

type Waiter = {
  readonly seq: number
  readonly value: unknown
  readonly release: (response: DurableResponse<never>) => void
  readonly refuse: (error: Error) => void
}

/**
 * The only writer of a world. It decides and applies a command in memory at once. The events are stored in a group with
 * those of neighbouring commands, and the response is sent when the group is durable. Reads and refusals wait in the
 * same way, because they may have read state that is not durable yet.
 */
export class Engine {
  readonly #parts: EngineParts
  readonly #state: State
  /** Parts of every Moment, created once. */
  readonly #asset: Moment['asset']
  readonly #id: Moment['id']
  #durable: number
  #unstored: Committed[] = []
  /** The group that is being stored. Its memory is reused for the next group. */
  readonly #group = new EventGroup()
  #waiters: Waiter[] = []
  #storing = false
  #decided = 0
  #lastAt = EPOCH
  #justAfter = later(EPOCH, 1n)
  #stopReason: Error | undefined
  /** Set after a crash: events that are not durable yet will never be. */
  #isLost = false
  #broken: { readonly error: unknown } | undefined

  constructor(parts: EngineParts) {
    this.#parts = parts
    this.#state = parts.state
    this.#durable = parts.state.seq
    const { market, seed } = parts
    this.#asset = (symbol) => market.assets().get(symbol)
    this.#id = idMaker(seed)
  }

  get view(): View {
    return this.#state
  }

  /** The last journal number that would survive a power cut. */
  get durable(): number {
    return this.#durable
  }

  /** Number of decided commands, including refused commands and those of the driver. */
  get decided(): number {
    return this.#decided
  }

  /** Number of responses that wait for the disk. */
  get waiting(): number {
    return this.#waiters.length
  }

  /** The current instant: the time of the clock, or just after the last event if that is later. */
  get now(): Instant {
    const now = this.#parts.now()
    const { lastAt } = this.#state
    if (now > lastAt) return now
    // This getter runs several times per command, and a new bigint is expensive.
    if (this.#lastAt !== lastAt) {
      this.#lastAt = lastAt
      this.#justAfter = later(lastAt, 1n)
    }
    return this.#justAfter
  }

  /** The time of the clock, or of the last event if that is later: events advance even while the clock is stopped. */
  get latest(): Instant {
    return max(this.#parts.now(), this.#state.lastAt)
  }

  /**
   * Decides a command. `look` reads the state right after it, before any later command. `cause` is the request. With
   * `once`, an earlier call with the same key rejects with `CallRepeated`, else the response is stored with the command.
   */
  submit<Value>(
    command: Command,
    look: (view: View, decision: Decision) => Value,
    cause?: Cause,
    once?: Once<Value>,
  ): Submitted<Value> {
    let events: readonly BrokerEvent[] = []
    try {
      if (this.#waiters.length >= this.#parts.queueMax) throw this.#stopReason ?? new NotApplied('queueFull')
      if (once && once.engine !== this) throw new NotApplied('worldRestarting')
      const earlier = once && earlierResponse(this.#state, this.now, once)
      if (earlier) return { events, response: this.#whenDurable(this.#state.seq, earlier).then(repeated) }
      const decision = this.decide(command, cause)
      if (decision.ok) events = decision.value
      else if (cause !== undefined) this.#parts.refused?.(cause.requestId, command, decision.reason)
      const value = look(this.#state, decision)
      const response = decision.ok ? once?.responseFor(value) : undefined
      if (response !== undefined)
        this.#append(callAnswered(this.#state, this.now, once!.request, response), cause)
      return { events, response: this.#whenDurable(this.#state.seq, value) }
    } catch (error) {
      return { events, response: Promise.reject(error) }
    }
  }

  /** Decides a command whose caller waits for no response. The queue limit does not apply. */
  decide(command: Command, cause?: Cause): Decision {
    if (this.#stopReason) throw this.#stopReason
    this.#decided += 1
    const moment = new CommandMoment(this.now, this.#parts.market, this.#asset, this.#id)
    const decision = decide(this.#state, moment, command)
    if (decision.ok) this.#write(decision.value, cause)
    if (!this.#storing && (this.#unstored.length > 0 || this.#broken)) void this.#store()
    return decision
  }

  async read<Value>(look: (view: View) => Value): Promise<DurableResponse<Value>> {
    if (this.#stopReason) throw this.#stopReason
    const value = look(this.#state)
    return this.#whenDurable(this.#state.seq, value)
  }

  /** Resolves once this number is durable. */
  async untilDurable(seq: number): Promise<void> {
    await this.#whenDurable(seq, undefined)
  }

  /** Releases the records that the query tables hold and that no reader of an older position needs. */
  forget(upTo: number): void {
    forget(this.#state, Math.min(upTo, this.#durable))
  }

  /** Stores pending events and accepts no more commands. */
  async stop(): Promise<void> {
    const seq = this.#state.seq
    this.#stopReason ??= new NotApplied('worldRestarting')
    if (this.#durable < seq)
      await new Promise<void>((release) => {
        this.#waiters.push({ seq, value: undefined, release: () => release(), refuse: () => release() })
      })
  }

  /** Adds an event to those of the command that was just decided. They are stored together. */
  #append(event: BrokerEvent, cause: Cause | undefined): void {
    this.#write([event], cause)
    if (!this.#storing) void this.#store()
  }

  /** All events of a decision are applied, or the state is invalid: then the engine stores the events before it and stops. */
  #write(events: readonly BrokerEvent[], request: Cause | undefined): void {
    const validCount = this.#unstored.length
    const cause = request?.requestId
    let record = events.length > 0 ? request?.recordFor(this) : undefined
    try {
      for (const event of events) {
        const order = apply(this.#state, event)
        this.#unstored.push(committedOf(this.#state, event, order, cause, record))
        record = undefined
      }
    } catch (error) {
      this.#unstored.length = validCount
      this.#broken = { error }
      this.#stopReason = new NotApplied('worldRestarting')
      if (!this.#storing) void this.#store()
      throw error
    }
  }

  #whenDurable<Value>(seq: number, value: Value): Promise<DurableResponse<Value>> {
    if (seq <= this.#durable) return Promise.resolve({ value, seq })
    if (this.#isLost) return Promise.reject(this.#stopReason)
    return new Promise((release, refuse) => {
      this.#waiters.push({ seq, value, release, refuse })
    })
  }

  /** Stores one group at a time. New events form the next group meanwhile. */
  async #store(): Promise<void> {
    this.#storing = true
    // All commands of this tick share the first group.
    await Promise.resolve()
    while (this.#unstored.length > 0) {
      const group = this.#unstored
      this.#unstored = []
      try {
        // All events of the group in one loop: that is faster than encoding each event as it happens.
        this.#group.clear()
        for (const { event, cause, record } of group) addEvent(this.#group, event, record ?? cause)
        const preparing = this.#parts.prepared?.()
        if (preparing) await preparing
        await this.#parts.journal.append(this.#group)
      } catch (error) {
        return this.#crash(error, lastOf(group).seq)
      }
      this.#durable = lastOf(group).seq
      this.#parts.committed(group)
      this.#answer()
    }
    this.#storing = false
    if (this.#broken) this.#crash(this.#broken.error, this.#durable)
  }

  /** Sends the responses that read only durable state. */
  #answer(): void {
    const waiting = this.#waiters
    this.#waiters = []
    for (const waiter of waiting)
      if (waiter.seq > this.#durable) this.#waiters.push(waiter)
      else waiter.release({ value: waiter.value as never, seq: waiter.seq })
  }

  /**
   * Memory holds events that the journal may not have, so no response may show them. Commands after number `tried` were
   * certainly not applied.
   */
  #crash(error: unknown, tried: number): void {
    const certain = error instanceof AppendFailed && error.certain
    this.#stopReason = notAppliedBecause(error)
    this.#isLost = true
    const waiting = this.#waiters
    this.#waiters = []
    for (const { seq, refuse } of waiting)
      refuse(certain || seq > tried ? this.#stopReason : new OutcomeUnknown(error))
    this.#parts.crashed(error)
  }
}
