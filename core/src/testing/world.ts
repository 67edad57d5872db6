import { itemsAt } from '../agenda.ts'
import type { Money, Quantity } from '../amount.ts'
import { apply } from '../apply.ts'
import { auditFaults } from '../audit.ts'
import type { Command } from '../commands.ts'
import { type Decision, decide, type Refusal } from '../decide.ts'
import type { BrokerEvent } from '../events.ts'
import {
  type AccountId,
  type AssetId,
  type NewId,
  newIdOf,
  type OrderId,
  type PartnerId,
  type RequestId,
  type Ticker,
} from '../ids.ts'
import type { Asset } from '../market/assets/asset.ts'
import { equityOf } from '../market/assets/assets.ts'
import type { LastTrade, Quote } from '../market/prices.ts'
import type { Order } from '../orders/order.ts'
import { emptyState, type State } from '../state/state.ts'
import { type Instant, parseInstant, SECOND } from '../time.ts'
import type { WorldSettings } from '../world.ts'
import { commandFrom, must } from './script-lines.ts'

/** Monday, 10:30 in New York. */
export const MONDAY = must(parseInstant('2026-11-02T15:30:00Z'))

/**
 * Runs script lines and returns the outcome of the last one: the kinds of its events, or the code of the refusal.
 * `outcomeOf('open A 1000', 'quote AAPL 99 100', 'buy A o1 AAPL 10')` is `'orderAccepted orderAcknowledged orderFilled'`.
 * For the lines see `script-lines.ts`.
 */
export function outcomeOf(...lines: readonly string[]): string {
  const world = new TestWorld()
  return lines.map((line) => world.run(line)).at(-1) ?? ''
}

/** A world for tests: one partner, prices that the test sets, and names for accounts, orders and requests. */
export class TestWorld {
  readonly state: State = emptyState()
  readonly events: BrokerEvent[] = []
  readonly quotes = new Map<string, Quote>()
  readonly trades = new Map<string, LastTrade>()
  /** The volume of every minute; empty: unknown. */
  readonly volumes = new Map<string, Quantity>()
  readonly accounts = new Map<string, AccountId>()
  readonly orders = new Map<string, OrderId>()
  readonly requests = new Map<string, RequestId>()
  readonly assets = new Map<string, Partial<Asset>>()
  readonly asset = (symbol: Ticker): Asset | undefined =>
    this.quotes.has(symbol) || this.trades.has(symbol) || this.assets.has(symbol)
      ? { ...plainAsset(symbol), ...this.assets.get(symbol) }
      : undefined
  readonly partnerId: PartnerId
  now: Instant
  /** The refusal of the last refused line. */
  refusal: Refusal | undefined

  constructor(settings: Partial<WorldSettings> = {}, start: Instant = MONDAY) {
    this.now = start
    this.submit({ kind: 'openWorld', settings: { ...plainWorld, ...settings } })
    this.submit({ kind: 'addPartner', name: 'the partner' })
    this.partnerId = [...this.state.partners.keys()][0]!
  }

  /** Runs one line, and then every agenda item that is due now, except jobs. Audits the state afterwards. */
  run(line: string): string {
    const from = this.events.length
    const [verb = '', ...words] = line.trim().split(/\s+/)
    const refusal =
      verb === 'wait' || verb === 'until' ? this.#advance(verb, words) : this.#submitLine(verb, words)
    if (refusal === undefined) this.#drain(this.now)
    const faults = auditFaults(this.state)
    if (faults.length > 0) throw new Error(`after "${line}": ${faults.join('; ')}`)
    return (
      refusal ??
      this.events
        .slice(from)
        .map(({ kind }) => kind)
        .join(' ')
    )
  }

  submit(command: Command): Decision {
    this.now = (this.now + 1n) as Instant
    const decision = decide(this.state, this.#moment(), command)
    if (!decision.ok) return decision
    for (const event of decision.value) {
      apply(this.state, event)
      this.events.push(event)
    }
    return decision
  }

  #submitLine(verb: string, words: readonly string[]): string | undefined {
    const command = commandFrom(this, verb, words)
    if (!command) return undefined
    const decision = this.submit(command)
    if (!decision.ok) {
      this.refusal = decision.reason
      return decision.reason.code
    }
    for (const event of decision.value) this.#name(event, words)
    for (const event of decision.value) this.#observeQuote(event)
    return undefined
  }

  /** Stores ids under the names that the line uses. */
  #name(event: BrokerEvent, [first = '', second = '']: readonly string[]): void {
    if (event.kind === 'accountOpened') this.accounts.set(first, event.accountId)
    if (event.kind === 'orderAccepted') this.orders.set(nameOf(event.order, second), event.order.id)
    if (event.kind === 'mintRequested' || event.kind === 'redeemRequested')
      this.requests.set(second, event.request.id)
  }

  #advance(verb: 'wait' | 'until', [to = '']: readonly string[]): undefined {
    const target = verb === 'wait' ? ((this.now + BigInt(to) * SECOND) as Instant) : must(parseInstant(to))
    this.#drain(target)
    if (this.now < target) this.now = target
  }

  #drain(to: Instant): void {
    for (let next = this.#nextDue(to); next; next = this.#nextDue(to)) {
      if (next.due > this.now) this.now = next.due
      const before = this.events.length
      this.submit(next.item)
      for (const event of this.events.slice(before)) this.#observeQuote(event)
    }
  }

  /** An order that starts working is matched with the current quote. */
  #observeQuote(event: BrokerEvent): void {
    if (!('orderId' in event) || !STARTS_WORKING.has(event.kind)) return
    this.submit({ kind: 'observeQuote', symbol: this.state.orders.get(event.orderId)!.symbol })
  }

  /** Skips jobs, because the script runs them with `job`. */
  #nextDue(to: Instant) {
    for (const due of this.state.agenda.dues)
      for (const item of due > to ? [] : itemsAt(this.state.agenda, due))
        if (item.kind !== 'runJob') return { due, item }
    return undefined
  }

  #moment() {
    const { quotes, trades, volumes, asset } = this
    return {
      at: this.now,
      prices: {
        quote: (symbol: Ticker) => quotes.get(symbol),
        trade: (symbol: Ticker) => trades.get(symbol),
        volume: (symbol: Ticker) => volumes.get(symbol),
      },
      asset,
      id: deterministicId,
    }
  }
}

const STARTS_WORKING = new Set<BrokerEvent['kind']>([
  'orderAcknowledged',
  'orderActivated',
  'orderElected',
  'orderResumed',
  'orderRequeued',
])

/** The legs of `o1` have the names `o1.take` and `o1.loss`. */
const nameOf = ({ group, replaces }: Order, name: string): string =>
  group?.parentId === undefined || replaces !== undefined
    ? name
    : `${name}.${group.role === 'takeProfit' ? 'take' : 'loss'}`

export const plainWorld: WorldSettings = {
  seed: 'test',
  hours: 'always',
  fillSize: 'unlimited',
  latencyNs: 0n,
  startingCash: 0n as Money,
  fees: 'none',
}

const plainAsset = (symbol: Ticker): Asset =>
  equityOf({ symbol, id: `asset-${symbol}` as AssetId, exchange: 'NASDAQ', name: symbol })

/** A UUID that depends only on its arguments. */
export function deterministicId(scope: string, events: number, n: number): NewId {
  let digits = ''
  for (let part = 0; part < 4; part++) {
    let hash = 2_166_136_261
    for (const letter of `${part}/${scope}/${events}/${n}`)
      hash = Math.imul(hash ^ letter.charCodeAt(0), 16_777_619)
    digits += (hash >>> 0).toString(16).padStart(8, '0')
  }
  return newIdOf(digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'))
}
