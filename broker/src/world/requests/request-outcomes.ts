import type { Command, Instant, Refusal, Ticker } from '@quipu/core'
import type { Committed } from '../../journal/committed.ts'
import type { MarketPrices } from '../../market/market-source.ts'
import {
  KEPT_KINDS,
  type RefusableCommand,
  type RefusalStore,
  type RefusedCommand,
} from './refused-orders.ts'
import { Ring } from './ring.ts'

/** The journal positions of the events of a request: all are between these two numbers. */
export type EventRange = { readonly first: number; readonly last: number }

/** Consecutive events of one request. */
type Run = { readonly cause: string; readonly first: number; last: number }

export type OutcomeLimits = {
  readonly requestLogMax: number
  readonly refusedOrdersMax: number
  /** Absent for a world in memory: it ends with the process, and so do its refusals. */
  readonly refusedOrders?: RefusalStore | undefined
}
export const defaultOutcomeLimits: OutcomeLimits = { requestLogMax: 10_000, refusedOrdersMax: 1_000 }

/** The outcome of recent requests: the events of each, or why it was refused. Bounded; a restart keeps refusals only. */
export class RequestOutcomes {
  readonly #world: string
  readonly #stored: RefusalStore | undefined
  readonly #refusedMax: number
  /** Written with every event and rarely read, so it is a ring that readers scan. */
  readonly #caused: Ring<Run>
  #newest: Run | undefined
  readonly #refused = new Map<string, RefusedCommand>()

  constructor(world: string, limits: OutcomeLimits = defaultOutcomeLimits) {
    this.#caused = new Ring(limits.requestLogMax)
    this.#refusedMax = limits.refusedOrdersMax
    this.#world = world
    this.#stored = limits.refusedOrders
  }

  addEvents(events: readonly Committed[]): void {
    for (const { seq, cause } of events) {
      if (cause === undefined) continue
      if (this.#newest?.cause === cause) this.#newest.last = seq
      else this.#caused.push((this.#newest = { cause, first: seq, last: seq }))
    }
  }

  addRefusal(cause: string, command: Command, reason: Refusal, at: Instant, market: MarketPrices): void {
    if (!isOrderCommand(command)) return
    const symbol = 'symbol' in command ? command.symbol : undefined
    const refused = { cause, at, command, reason, ...pricesFor(market, symbol, at) }
    this.#refused.set(cause, refused)
    this.#stored?.add(this.#world, refused)
    dropOldest(this.#refused, this.#refusedMax)
  }

  eventsOf(requestId: string): EventRange | undefined {
    let caused: EventRange | undefined
    for (const [, { cause, first, last }] of this.#caused.after(0))
      if (cause === requestId) caused = { first: caused?.first ?? first, last }
    return caused
  }

  async refusalOf(requestId: string): Promise<RefusedCommand | undefined> {
    return this.#refused.get(requestId) ?? this.#stored?.find(this.#world, requestId)
  }

  /** Resolves when another process can read the refusals. */
  async written(): Promise<void> {
    await this.#stored?.written()
  }
}

const isOrderCommand = (command: Command): command is RefusableCommand =>
  (KEPT_KINDS as readonly string[]).includes(command.kind)

function pricesFor(market: MarketPrices, symbol: Ticker | undefined, at: Instant) {
  if (symbol === undefined || !market.assets().has(symbol)) return {}
  const prices = market.pricesAt(at)
  return { quote: prices.quote(symbol), trade: prices.trade(symbol) }
}

function dropOldest(map: Map<string, unknown>, maxSize: number): void {
  for (const key of map.keys()) {
    if (map.size <= maxSize) return
    map.delete(key)
  }
}
