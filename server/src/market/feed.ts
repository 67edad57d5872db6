import { type Bar, fromNewYork, type Instant, MINUTE, max, newYork, type Ticker } from '@quipu/core'
import type { WorldClock } from '../clock/clock.ts'
import type { FeedMarket } from './feed-market.ts'
import { Interest } from './interest.ts'
import { type Tick, TickChain, type TickChannel } from './ticks.ts'

export type FeedChannel = 'bars' | 'dailyBars' | TickChannel

/** News of one symbol on one channel, oldest first. */
export type News =
  | { readonly channel: 'bars' | 'dailyBars'; readonly symbol: Ticker; readonly bar: Bar }
  | ({ readonly symbol: Ticker } & Tick)

/** Symbols by channel; channels that carry nothing may stand there too. */
export type Subscription = Partial<Record<FeedChannel, readonly string[]>>

const tickChannels = ['trades', 'quotes'] as const satisfies readonly TickChannel[]
const channels = ['bars', 'dailyBars', ...tickChannels] as const satisfies readonly FeedChannel[]

export type FeedParts<Listener> = {
  readonly clock: WorldClock
  /** Asked for each time: a world that is rebuilt has another. */
  readonly market: () => FeedMarket
  /** How far this feed is behind the clock. */
  readonly delayNs: bigint
  /** Tells news once to everyone who wants it. */
  readonly tell: (news: News, listeners: ReadonlySet<Listener>) => void
  readonly failed: (error: unknown) => void
}

/** Minutes that a sleeping machine missed are told afterwards, up to this many. */
const MINUTES_LATE_MAX = 5n

/**
 * The live side of a market, made only while someone listens and only of what they listen to:
 *   bars        the finished minute of a symbol, at each minute mark of the clock
 *   dailyBars   the day so far, after each minute in which the symbol traded
 *   trades, quotes   as they happen
 * A steered clock waits at every mark until all of it was told, so an advance tells everything on its way, in order.
 */
export class MarketFeed<Listener> {
  readonly #parts: FeedParts<Listener>
  readonly #interest: Record<FeedChannel, Interest<Listener>> = {
    bars: new Interest(),
    dailyBars: new Interest(),
    trades: new Interest(),
    quotes: new Interest(),
  }
  readonly #chains: Record<TickChannel, Map<Ticker, TickChain>> = { trades: new Map(), quotes: new Map() }
  readonly #starting = new Set<Promise<void>>()
  #cancelMark: (() => void) | undefined
  #telling: Promise<void> = Promise.resolve()

  constructor(parts: FeedParts<Listener>) {
    this.#parts = parts
  }

  subscribe(listener: Listener, wanted: Subscription): void {
    for (const channel of channels)
      for (const symbol of wanted[channel] ?? []) this.#interest[channel].add(symbol, listener)
    if (!this.#cancelMark && this.#wantsMinutes) this.#arm(markAfter(this.#parts.clock.now()))
    for (const channel of tickChannels) this.#startChains(channel)
  }

  unsubscribe(listener: Listener, unwanted: Subscription): void {
    for (const channel of channels)
      for (const symbol of unwanted[channel] ?? []) this.#interest[channel].remove(symbol, listener)
    if (!this.#wantsMinutes) this.#disarm()
    for (const channel of tickChannels) this.#stopChains(channel)
  }

  /** Resolves when every chain knows its first tick; later ones are found before the clock goes on. */
  async started(): Promise<void> {
    if (this.#starting.size > 0) await Promise.all(this.#starting)
  }

  close(): void {
    this.#disarm()
    for (const channel of tickChannels) {
      for (const chain of this.#chains[channel].values()) chain.stop()
      this.#chains[channel].clear()
    }
  }

  get #wantsMinutes(): boolean {
    return !this.#interest.bars.isEmpty || !this.#interest.dailyBars.isEmpty
  }

  #stopChains(channel: TickChannel): void {
    for (const [symbol, chain] of this.#chains[channel])
      if (!this.#interest[channel].wants(symbol)) {
        chain.stop()
        this.#chains[channel].delete(symbol)
      }
  }

  #startChains(channel: TickChannel): void {
    const { clock, market, delayNs, tell, failed } = this.#parts
    const interest = this.#interest[channel]
    const chains = this.#chains[channel]
    if (interest.isEmpty) return
    for (const symbol of interest.symbols(market().assets())) {
      if (chains.has(symbol)) continue
      const told = (tick: Tick) => tell({ ...tick, symbol }, interest.listeners(symbol))
      const chain = new TickChain({ clock, market, delayNs, channel, symbol, told, failed })
      chains.set(symbol, chain)
      const started = chain.started.finally(() => this.#starting.delete(started))
      this.#starting.add(started)
    }
  }

  #disarm(): void {
    this.#cancelMark?.()
    this.#cancelMark = undefined
  }

  #arm(mark: Instant): void {
    this.#cancelMark = this.#parts.clock.timer(mark, 'feed', () => this.#marked(mark))
  }

  /** The next mark is set before this one is told: on the wall clock nobody waits for a slow source. */
  #marked(mark: Instant): Promise<void> {
    const earliest = markAfter((this.#parts.clock.now() - MINUTES_LATE_MAX * MINUTE) as Instant)
    const next = (mark + MINUTE) as Instant
    this.#arm(max(next, earliest))
    this.#telling = this.#telling.then(() => this.#tellMinute(mark)).catch(this.#parts.failed)
    return this.#telling
  }

  async #tellMinute(mark: Instant): Promise<void> {
    const market = this.#parts.market()
    const now = (mark - this.#parts.delayNs) as Instant
    const existing = market.assets()
    const [bars, dailyBars] = [this.#interest.bars, this.#interest.dailyBars]
    const wanted = new Set([...bars.symbols(existing), ...dailyBars.symbols(existing)])
    const symbols = [...wanted].sort()
    const made = await Promise.all(symbols.map((symbol) => minuteOf(market, symbol, now)))
    const traded = symbols.filter((_, index) => made[index])
    const days = await Promise.all(
      traded.map((symbol) => (dailyBars.wants(symbol) ? dayOf(market, symbol, now) : undefined)),
    )
    for (const [index, symbol] of symbols.entries()) this.#tellBar('bars', symbol, made[index])
    for (const [index, symbol] of traded.entries()) this.#tellBar('dailyBars', symbol, days[index])
  }

  #tellBar(channel: 'bars' | 'dailyBars', symbol: Ticker, bar: Bar | undefined): void {
    const listeners = this.#interest[channel].listeners(symbol)
    if (bar && listeners.size > 0) this.#parts.tell({ channel, symbol, bar }, listeners)
  }
}

const markAfter = (at: Instant): Instant => ((at / MINUTE + 1n) * MINUTE) as Instant

/** The minute that ended at `now`, as history has it; none where nothing traded. */
async function minuteOf(market: FeedMarket, symbol: Ticker, now: Instant): Promise<Bar | undefined> {
  const start = (now - MINUTE) as Instant
  const frame = { unit: 'minute', count: 1 } as const
  return (await market.bars({ symbol, frame, from: start, to: start, now, sort: 'asc', limit: 1 }))[0]
}

/** The day that the minute before `now` belongs to, as far as it has come. */
async function dayOf(market: FeedMarket, symbol: Ticker, now: Instant): Promise<Bar | undefined> {
  const start = fromNewYork(newYork((now - MINUTE) as Instant).date, 0)
  const frame = { unit: 'day', count: 1 } as const
  return (await market.bars({ symbol, frame, from: start, to: start, now, sort: 'asc', limit: 1 }))[0]
}
