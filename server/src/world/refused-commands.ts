import type { Command, Instant, LastTrade, Quote, Refusal, Ticker } from '@quipu/core'
import type { Committed } from '../journal/committed.ts'
import type { MarketSource } from '../market/market-source.ts'
import { Ring } from '../process/ring.ts'

/** Commands whose refusals are kept: those about orders. They hold no digests. */
const kept = ['placeOrder', 'replaceOrder', 'cancelOrder', 'closePosition'] as const
export type OrderCommand = Extract<Command, { kind: (typeof kept)[number] }>

/** A command that was refused, with what was known when it was. */
export type RefusedCommand = {
  readonly cause: string
  readonly at: Instant
  readonly command: OrderCommand
  readonly reason: Refusal
  readonly quote?: Quote
  readonly trade?: LastTrade
}

/** Where the events of a request stand in the journal: all of them between these two numbers. */
export type Caused = { readonly first: number; readonly last: number }

/** Events of one request that follow each other. */
type Run = { readonly cause: string; readonly first: number; last: number }

export type TrailLimits = { readonly requestsKept: number; readonly refusalsKept: number }
export const defaultTrailLimits: TrailLimits = { requestsKept: 10_000, refusalsKept: 1_000 }

/** What a world remembers of requests: what each caused, and why it was refused. Both are bounded; a restart forgets them. */
export class Trail {
  readonly #refusedMax: number
  /** Written with every event, read when somebody wants to know: so it is a row, and looked through. */
  readonly #caused: Ring<Run>
  #newest: Run | undefined
  readonly #refused = new Map<string, RefusedCommand>()

  constructor({ requestsKept, refusalsKept }: TrailLimits = defaultTrailLimits) {
    this.#caused = new Ring(requestsKept)
    this.#refusedMax = refusalsKept
  }

  noteEvents(events: readonly Committed[]): void {
    for (const { seq, cause } of events) {
      if (cause === undefined) continue
      if (this.#newest?.cause === cause) this.#newest.last = seq
      else this.#caused.push((this.#newest = { cause, first: seq, last: seq }))
    }
  }

  noteRefusal(cause: string, command: Command, reason: Refusal, at: Instant, market: MarketSource): void {
    if (!isOrderCommand(command)) return
    const symbol = 'symbol' in command ? command.symbol : undefined
    this.#refused.set(cause, { cause, at, command, reason, ...shownOf(market, symbol, at) })
    dropOldest(this.#refused, this.#refusedMax)
  }

  causedBy(requestId: string): Caused | undefined {
    let caused: Caused | undefined
    for (const [, { cause, first, last }] of this.#caused.after(0))
      if (cause === requestId) caused = { first: caused?.first ?? first, last }
    return caused
  }

  refusalOf(requestId: string): RefusedCommand | undefined {
    return this.#refused.get(requestId)
  }
}

const isOrderCommand = (command: Command): command is OrderCommand =>
  (kept as readonly string[]).includes(command.kind)

function shownOf(market: MarketSource, symbol: Ticker | undefined, at: Instant) {
  if (symbol === undefined || !market.assets().has(symbol)) return {}
  const prices = market.pricesAt(at)
  const [quote, trade] = [prices.quote(symbol), prices.trade(symbol)]
  return { ...(quote && { quote }), ...(trade && { trade }) }
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}
