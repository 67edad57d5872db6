import { type Instant, MINUTE, max, type Quote, SECOND, type Ticker, type Trade } from '@quipu/core'
import type { WorldClock } from '../clock/clock.ts'
import type { FeedMarket } from './feed-market.ts'

export type TickChannel = 'trades' | 'quotes'

export type Tick =
  | { readonly channel: 'trades'; readonly trades: readonly Trade[] }
  | { readonly channel: 'quotes'; readonly quote: Quote }

export type TickChainParts = {
  readonly clock: WorldClock
  readonly market: () => FeedMarket
  readonly delayNs: bigint
  readonly channel: TickChannel
  readonly symbol: Ticker
  readonly told: (tick: Tick) => void
  readonly failed: (error: unknown) => void
}

/** How far ahead the market is asked for the next tick, and how many trades are taken at a time. */
const HORIZON_NS = MINUTE
const TRADES_MAX = 256
/** What a sleeping machine missed by more than this is not told afterwards. */
const LATE_MAX_NS = 5n * SECOND

/** What comes next, and where on the tape to go on from once it was told. */
type Next = { readonly at: Instant; readonly tick?: Tick; readonly after: Instant }

/**
 * The ticks of one symbol on one channel, told one after the other as the clock reaches them. Finding the next one
 * is part of telling the one before, so a steered clock never passes one by.
 */
export class TickChain {
  /** Resolves when the first tick is known. */
  readonly started: Promise<void>
  readonly #parts: TickChainParts
  #upcoming: Trade[] = []
  #cancel: (() => void) | undefined
  #stopped = false

  constructor(parts: TickChainParts) {
    this.#parts = parts
    this.started = this.#plan((parts.clock.now() - parts.delayNs) as Instant)
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  /** Finds the next tick after a moment of the tape and waits for it. */
  async #plan(after: Instant): Promise<void> {
    const { clock, delayNs, channel, failed } = this.#parts
    const next = await (channel === 'trades' ? this.#nextTrades(after) : this.#nextQuote(after)).catch(
      (error): Next => {
        failed(error)
        return silence(after)
      },
    )
    if (this.#stopped) return
    const due = (next.at + delayNs) as Instant
    this.#cancel = clock.timer(due, 'feed', () => this.#reached(next))
  }

  #reached({ tick, after }: Next): Promise<void> {
    const { clock, delayNs, told } = this.#parts
    if (tick) told(tick)
    const earliest = (clock.now() - delayNs - LATE_MAX_NS) as Instant
    return this.#plan(max(after, earliest))
  }

  async #nextQuote(after: Instant): Promise<Next> {
    const { market, symbol } = this.#parts
    const at = await market().nextQuote(symbol, after, (after + HORIZON_NS) as Instant)
    if (at === undefined) return silence(after)
    const quote = market().pricesAt(at).quote(symbol)
    return { at, after: at, ...(quote ? { tick: { channel: 'quotes', quote } } : {}) }
  }

  /** Trades of the same instant are told together. */
  async #nextTrades(after: Instant): Promise<Next> {
    await this.#look(after)
    const first = this.#upcoming[0]
    if (!first) return silence(after)
    const end = this.#upcoming.findIndex(({ at }) => at !== first.at)
    const trades = this.#upcoming.splice(0, end < 0 ? this.#upcoming.length : end)
    return { at: first.at, after: first.at, tick: { channel: 'trades', trades } }
  }

  async #look(after: Instant): Promise<void> {
    const from = (after + 1n) as Instant
    this.#upcoming = this.#upcoming.filter(({ at }) => at >= from)
    if (this.#upcoming.length > 0) return
    const { market, symbol } = this.#parts
    const to = (after + HORIZON_NS) as Instant
    const trades = await market().trades({ symbol, from, to, now: to, sort: 'asc', limit: TRADES_MAX })
    this.#upcoming = trades.filter(({ reportedAt }) => reportedAt === undefined).map(asFirstTold)
  }
}

/** What becomes of a trade is not known yet when it is told. */
function asFirstTold(trade: Trade): Trade {
  if (trade.update === undefined) return trade
  const { update: _, ...first } = trade
  return first
}

/** Nothing before the horizon: there it is looked at again, the horizon itself included. */
const silence = (after: Instant): Next => {
  const at = (after + HORIZON_NS) as Instant
  return { at, after: (at - 1n) as Instant }
}
