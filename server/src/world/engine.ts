import {
  apply,
  type BrokerEvent,
  type Command,
  type Decision,
  decide,
  forget,
  type Instant,
  type Moment,
  type Prices,
  type Refusal,
  type State,
  type View,
} from '@quipu/core'
import type { Cause } from '../journal/cause.ts'
import { type Committed, committedOf } from '../journal/committed.ts'
import { Group } from '../journal/group.ts'
import { AppendFailed, type Journal } from '../journal/journal.ts'
import { addEvent } from '../journal/stored-event.ts'
import type { MarketSource } from '../market/market-source.ts'
import { NotApplied, notAppliedBy } from '../process/not-applied.ts'
import { idMaker } from './ids.ts'

/** An answer together with the journal number of the state it saw. */
export type Answer<Value> = { readonly value: Value; readonly seq: number }

/** Whether it was applied nobody can know: the answer must not be given at all. */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super('the journal failed while this was being stored', { cause })
    this.name = 'OutcomeUnknown'
  }
}

export type EngineParts = {
  readonly state: State
  readonly seed: string
  readonly journal: Journal
  readonly market: MarketSource
  readonly now: () => Instant
  /** How many answers may wait for the disk. */
  readonly queueMax: number
  /** Called once per group, after it is durable and before its answers leave. */
  readonly committed: (events: readonly Committed[]) => void
  /** Called after each turn that changed something: what came due may follow at once. */
  readonly turned: (events: readonly BrokerEvent[]) => void
  /** Called for each command of a request that was refused. */
  readonly refused?: (cause: string, command: Command, reason: Refusal) => void
  /** Before a group is appended: resolves once all that its records refer to is durable; undefined if it is. */
  readonly prepared?: (() => Promise<void> | undefined) | undefined
  /** The journal failed: this engine is over and the world must be rebuilt. */
  readonly crashed: (error: unknown) => void
}

type Waiter = {
  readonly seq: number
  readonly value: unknown
  readonly release: (answer: Answer<never>) => void
  readonly refuse: (error: Error) => void
}

/**
 * The only writer of a world. A command is decided and applied at once, in memory; what it led to is stored in a
 * group with its neighbours; its answer leaves when the group is durable. Reads and refusals wait the same way,
 * since they may have seen what is not durable yet.
 */
export class Engine {
  readonly #parts: EngineParts
  readonly #state: State
  /** What every moment has, made once. */
  readonly #asset: Moment['asset']
  readonly #id: Moment['id']
  #durable: number
  #unstored: Committed[] = []
  /** What is being stored, in memory that serves one group after the other. */
  readonly #group = new Group()
  #waiters: Waiter[] = []
  #storing = false
  #decided = 0
  #lastAt = 0n as Instant
  #justAfter = 1n as Instant
  #over: Error | undefined
  /** What is not durable by now never will be. */
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

  /** How many commands it was given, the clockwork's own and refused ones included. */
  get decided(): number {
    return this.#decided
  }

  /** How many answers wait for the disk. */
  get waiting(): number {
    return this.#waiters.length
  }

  /** The instant it is: the clock's, or just after the last event where that is later. */
  get now(): Instant {
    const now = this.#parts.now()
    const { lastAt } = this.#state
    if (now > lastAt) return now
    // Asked several times a turn, and a bigint is dear to make.
    if (this.#lastAt !== lastAt) {
      this.#lastAt = lastAt
      this.#justAfter = (lastAt + 1n) as Instant
    }
    return this.#justAfter
  }

  /** Decides a command; `look` sees the state right after, before any later turn. `cause` is the request. */
  submit<Value>(
    command: Command,
    look: (view: View, decision: Decision) => Value,
    cause?: Cause,
  ): Promise<Answer<Value>> {
    try {
      if (this.#over) throw this.#over
      if (this.#waiters.length >= this.#parts.queueMax) throw new NotApplied('queueFull')
      const decision = this.#turn(command, cause)
      if (!decision.ok && cause !== undefined)
        this.#parts.refused?.(cause.requestId, command, decision.reason)
      const value = look(this.#state, decision)
      const seq = this.#state.seq
      if (decision.ok && decision.value.length > 0) this.#parts.turned(decision.value)
      return this.#release(seq, value)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** For the world's own clockwork: no answer is waited for, and no queue is full. */
  drive(command: Command): Decision {
    if (this.#over) throw this.#over
    const decision = this.#turn(command)
    if (decision.ok && decision.value.length > 0) this.#parts.turned(decision.value)
    return decision
  }

  async read<Value>(look: (view: View) => Value): Promise<Answer<Value>> {
    if (this.#over) throw this.#over
    const value = look(this.#state)
    return this.#release(this.#state.seq, value)
  }

  /** Resolves once this number is durable. */
  async reached(seq: number): Promise<void> {
    await this.#release(seq, undefined)
  }

  /** Lets go of what the views hold and nobody may still ask for by an older number. */
  forget(upTo: number): void {
    forget(this.#state, Math.min(upTo, this.#durable))
  }

  /** Stores what is under way and takes no more. */
  async stop(): Promise<void> {
    const seq = this.#state.seq
    this.#over ??= new NotApplied('worldRestarting')
    if (this.#durable < seq)
      await new Promise<void>((release) => {
        this.#waiters.push({ seq, value: undefined, release: () => release(), refuse: () => release() })
      })
  }

  #turn(command: Command, cause?: Cause): Decision {
    this.#decided += 1
    const moment = new Now(this.now, this.#parts.market, this.#asset, this.#id)
    const decision = decide(this.#state, moment, command)
    if (decision.ok) this.#write(decision.value, cause)
    if (!this.#storing && (this.#unstored.length > 0 || this.#broken)) void this.#store()
    return decision
  }

  /** A decision is applied whole. If that fails, the state is worth nothing: what was sound is stored, then it ends. */
  #write(events: readonly BrokerEvent[], request: Cause | undefined): void {
    const sound = this.#unstored.length
    const cause = request?.requestId
    let record = events.length > 0 ? request?.recordFor(this) : undefined
    try {
      for (const event of events) {
        const order = apply(this.#state, event)
        this.#unstored.push(committedOf(this.#state, event, order, cause, record))
        record = undefined
      }
    } catch (error) {
      this.#unstored.length = sound
      this.#broken = { error }
      this.#over = new NotApplied('worldRestarting')
      if (!this.#storing) void this.#store()
      throw error
    }
  }

  #release<Value>(seq: number, value: Value): Promise<Answer<Value>> {
    if (seq <= this.#durable) return Promise.resolve({ value, seq })
    if (this.#isLost) return Promise.reject(this.#over)
    return new Promise((release, refuse) => {
      this.#waiters.push({ seq, value, release, refuse })
    })
  }

  /** One group at a time; while it is on its way to disk, the next one gathers. */
  async #store(): Promise<void> {
    this.#storing = true
    // The turns of this tick share the first group.
    await Promise.resolve()
    while (this.#unstored.length > 0) {
      const group = this.#unstored
      this.#unstored = []
      try {
        this.#encode(group)
        const preparing = this.#parts.prepared?.()
        if (preparing) await preparing
        await this.#parts.journal.append(this.#group)
      } catch (error) {
        return this.#crash(error, group.at(-1)!.seq)
      }
      this.#durable = group.at(-1)!.seq
      this.#parts.committed(group)
      this.#answer()
    }
    this.#storing = false
    if (this.#broken) this.#crash(this.#broken.error, this.#durable)
  }

  /** All at once, not each as it happens: a program that does one thing at a time is faster at it. */
  #encode(group: readonly Committed[]): void {
    this.#group.clear()
    for (const { event, cause, record } of group) addEvent(this.#group, event, record ?? cause)
  }

  /** Gives the answers that saw nothing but what is durable. */
  #answer(): void {
    const waiting = this.#waiters
    this.#waiters = []
    for (const waiter of waiting)
      if (waiter.seq > this.#durable) this.#waiters.push(waiter)
      else waiter.release({ value: waiter.value as never, seq: waiter.seq })
  }

  /**
   * Memory holds what the journal may not: nothing of it may be shown any more. Whoever waited for more than
   * `tried` was certainly not applied.
   */
  #crash(error: unknown, tried: number): void {
    const certain = error instanceof AppendFailed && error.certain
    this.#over = notAppliedBy(error)
    this.#isLost = true
    const waiting = this.#waiters
    this.#waiters = []
    for (const { seq, refuse } of waiting)
      refuse(certain || seq > tried ? this.#over : new OutcomeUnknown(error))
    this.#parts.crashed(error)
  }
}

/** The moment of one command. Most do not look at the market: its prices are made when asked for. */
export class Now implements Moment {
  readonly at: Instant
  readonly asset: Moment['asset']
  readonly id: Moment['id']
  readonly #market: MarketSource

  constructor(at: Instant, market: MarketSource, asset: Moment['asset'], id: Moment['id']) {
    this.at = at
    this.asset = asset
    this.id = id
    this.#market = market
  }

  get prices(): Prices {
    return this.#market.pricesAt(this.at)
  }
}
