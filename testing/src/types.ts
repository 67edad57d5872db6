/** A JSON value of the protocol. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Settings of a world. Unset ones have the default of the server. */
export type WorldOptions = {
  /** The world of a scenario that ships with Quipu, such as `flash-crash`. Only `seed` may be added. */
  readonly scenario?: string
  /** Seed of the market and of all ids. The same seed and the same calls give the same result. Default: `quipu`. */
  readonly seed?: string
  /** First instant of the clock. Default: Monday 2026-01-05 10:00 in New York. */
  readonly clock?: string | Date
  /** Cash of each account in dollars. Default: 100000. */
  readonly cash?: number | string
  /** Number of accounts. Default: 1. */
  readonly accounts?: number
  /** `always`: the market is open at all times (default). `nyse`: sessions of New York. */
  readonly hours?: 'always' | 'nyse'
  /** Only these symbols. `SOFI` or `RIVN:14` adds one that the market does not have. */
  readonly symbols?: readonly string[]
  /** Crashes, halts and other market events, with the fields of `POST /sim/v1/worlds`. */
  readonly marketEvents?: readonly { readonly [field: string]: Json }[]
  /** Time from the acceptance of an order until it reaches the market, such as `250ms`. Default: none. */
  readonly latency?: string
  /** Delays, rejections and fill models of the market, with the fields of `POST /sim/v1/worlds`. Default: none. */
  readonly venue?: { readonly [field: string]: Json }
  /** Margin interest and margin calls, with the fields of `POST /sim/v1/worlds`. Default: none. */
  readonly margin?: { readonly [field: string]: Json }
  /** How much one quote fills: everything (default), or its displayed size. */
  readonly fillSize?: 'unlimited' | 'displayed'
  /** US fees by date (default), or none. */
  readonly fees?: 'us' | 'none'
}

/** A fault rule, with the fields of `POST /sim/v1/worlds/{world}/faults`: `{ effect: { kind: 'answer_lost' } }`. */
export type NewFault = {
  readonly name?: string
  readonly match?: { readonly [field: string]: Json }
  readonly effect: { readonly kind: string; readonly [field: string]: Json }
}

/** A fault rule with its counts. */
export type Fault = {
  readonly id: string
  readonly name?: string | undefined
  /** How often the rule was applied. */
  readonly consumed: number
  /** Number of matches, including those that the rule did not affect. */
  readonly matched: number
  /** True: the rule will not be applied again. */
  readonly exhausted: boolean
}

/** The key of one account, and the URL of the broker. */
export type AccountKey = {
  readonly url: string
  readonly accountId: string
  readonly keyId: string
  readonly secretKey: string
}

/** The next open or close of the market, or the end of the next minute bar. */
export type NextMoment = { readonly until: 'next_open' | 'next_close' | 'next_bar' }

/**
 * Moves the clock by a duration (`90s`, `5m`, `1d`), to an instant, to the next open, close, bar or event, to the end of an
 * order, or until no order, job or settlement is in progress.
 */
export type Advance =
  | string
  | { readonly to: string | Date }
  | NextMoment
  | { readonly until: 'next_event' | 'idle'; readonly within?: string }
  | { readonly until: 'order_end'; readonly order_id: string; readonly within?: string }

/** The result of moving a clock. */
export type Advanced = {
  readonly now: Date
  /** Number of events by kind that the move caused. */
  readonly events: { readonly [kind: string]: number }
  /** Number of orders by final status that ended. */
  readonly ordersEnded: { readonly [status: string]: number }
  /** False if `until` was not reached within the limit. */
  readonly reached: boolean
}

/** An event of the journal. */
export type WorldEvent = {
  readonly number: number
  readonly at: string
  readonly kind: string
  readonly account_id?: string | undefined
  readonly order_id?: string | undefined
  readonly event: { readonly [field: string]: unknown }
}

/** An order, with the names of the protocol. */
export type WorldOrder = {
  readonly id: string
  readonly client_order_id: string
  readonly symbol: string
  readonly side: string
  readonly type: string
  readonly status: string
  readonly qty: string | null
  readonly limit_price: string | null
  readonly filled_qty: string
  readonly filled_avg_price: string | null
}

export type UnacknowledgedFill = {
  /** Number of the fill in the journal. */
  readonly number: number
  readonly at: string
  readonly orderId: string
}

/** One step of a loop through time. */
export type Step = {
  readonly now: Date
  /** 0 for the first step. */
  readonly index: number
}

/** The end of a loop through time. Default: one year after the first step. */
export type LoopEnd = {
  readonly until?: string | Date
  readonly steps?: number
}

/** A world: an isolated broker with its own clock, market and accounts. It has the key of its first account. */
export type World = AccountKey & {
  readonly name: string
  readonly seed: string
  /** All accounts with their keys; the first one is also the world's own. */
  readonly accounts: readonly AccountKey[]
  /** The credential for the Broker API (`/v1`). */
  readonly partner: { readonly keyId: string; readonly secretKey: string }
  /** The time of the world. */
  now(): Promise<Date>
  /** Moves the clock. Returns when all resulting events are stored and sent to the streams. */
  advance(by: Advance): Promise<Advanced>
  /** Lets the clock run at a speed; 60 is an hour per minute. */
  run(speed: number): Promise<void>
  /** Stops the clock. A new world is stopped. */
  freeze(): Promise<void>
  /**
   * Calls a function at the current time and after every step, until its end or until the function returns `false`. The step
   * is a duration, or the next open, close or bar of the market.
   */
  each(step: string | NextMoment, fn: (step: Step) => unknown, end?: LoopEnd): Promise<void>
  /** Makes requests, streams or calls of this world fail. Default: the first match, once. */
  fault(rule: NewFault): Promise<Fault>
  /** All fault rules with their counts. */
  faults(): Promise<readonly Fault[]>
  /** Deletes all fault rules. */
  deleteFaults(): Promise<void>
  /** All orders of an account, newest first. */
  orders(accountId?: string): Promise<readonly WorldOrder[]>
  /** Signed quantity of a symbol: `10`, `-3`, or `0` without a position. */
  position(symbol: string, accountId?: string): Promise<string>
  /** Cash of an account in dollars. */
  cash(accountId?: string): Promise<string>
  /**
   * Fills that the program of an account does not know of. A program knows of a fill if a response to it includes the fill,
   * or if the fill was sent to a stream of trade updates that is still open.
   */
  unacknowledgedFills(accountId?: string): Promise<readonly UnacknowledgedFill[]>
  /** The last events of the journal. Default: 10. */
  events(last?: number): Promise<readonly WorldEvent[]>
  /** Hash over all events. Two runs with the same seed and the same calls have the same hash. */
  journalHash(): Promise<string>
  /**
   * A single-use link that signs a person in to the pages of the world, such as the consent page of an app. Creates a person
   * with the first account of the world if there is none of this name. A reset or loaded world has people, but no passwords
   * and sessions: they sign in with a new link.
   */
  signInLink(name: string): Promise<string>
  /** Returns the world to its creation. Accounts and keys stay; streams are closed. */
  reset(): Promise<void>
  /** The world as a file without secrets, for `broker.load` or `quipu world load`. */
  save(): Promise<Uint8Array>
  /** Deletes the world. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A running broker that creates worlds. */
export type Broker = {
  readonly url: string
  /** Creates a world with its own clock, market, accounts and keys. Options replace those of the broker. */
  world(options?: WorldOptions): Promise<World>
  /** Creates a world from a file of `world.save()`, `quipu world save` or `quipu bundle`. */
  load(file: Uint8Array): Promise<World>
  /** Stops a broker that `startQuipu` started. All its worlds end. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A server and the key of its operator. */
export type OperatorKey = { readonly url: string; readonly keyId: string; readonly secretKey: string }
