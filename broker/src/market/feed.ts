import type { Instant, QuoteBook, Ticker } from '@quipu/core'
import { earlier, keysOf, later, MINUTE, max, recordBy, recordEntries } from '@quipu/core'
import type { WorldClock } from '../clock/clock.ts'
import { bookChange } from './board.ts'
import { type ChainParts, FeedChain } from './chain.ts'
import type { FeedMarket } from './feed-market.ts'
import { markAfter, minuteOfNextTrade } from './feed-minutes.ts'
import { Interest } from './interest.ts'
import { MinuteBars, type MinuteMarks, type MinuteNews } from './minute-news.ts'
import {
  type FeedChannel,
  feedChannelOf,
  feedChannels,
  type News,
  newsOf,
  type Subscription,
} from './news.ts'
import { nextBooks, nextEvents, nextQuotes, nextTrades } from './ticks.ts'

export type { FeedChannel, News, Subscription } from './news.ts'

/** Publishes market news to subscribed listeners. */
export type Feed<Listener> = {
  subscribe(listener: Listener, subscription: Subscription): void
  unsubscribe(listener: Listener, unwanted: Subscription): void
  /** Activates the subscriptions of new symbols. Call it when the list of symbols has changed. */
  onSymbolsAdded(): void
  /** Call it when prices may have changed. */
  onMarketChanged?(): void
  /** Resolves when the next tick of every chain is known. */
  started(): Promise<void>
  /** The news of the next minutes, if they are known in advance. */
  ahead?(marks: MinuteMarks): Promise<readonly MinuteNews[]>
  close(): void
}

export type FeedParts<Listener> = {
  readonly clock: WorldClock
  /** Called each time, because a rebuilt world has a new market. */
  readonly market: () => FeedMarket
  /** Delay of this feed. */
  readonly delayNs: bigint
  /** Skip minutes without trades. Only for virtual clocks, which wait for the search. */
  readonly skipsSilence?: boolean
  /** Sends news once to every subscribed listener. */
  readonly send: (news: News, listeners: ReadonlySet<Listener>) => void
  readonly failed: (error: unknown) => void
}

/** The channels that need each kind of chain. */
const chainKinds = {
  trades: ['trades'],
  quotes: ['quotes'],
  books: ['orderbooks'],
  events: ['statuses', 'lulds', 'imbalances', 'updatedBars', 'trades'],
} as const satisfies Record<string, readonly FeedChannel[]>
type ChainKind = keyof typeof chainKinds
type RunningChain = Pick<FeedChain<never>, 'started' | 'stop'>
const kinds = keysOf(chainKinds)

/** Maximum number of missed minutes, for example after a suspend of the machine, that are published late. */
const MINUTES_LATE_MAX = 5n

/** Minutes without trades after which the next trade is searched. */
const SILENT_MINUTES = 3

/**
 * The live feed of a market. It computes only subscribed channels and symbols:
 *   bars         the finished minute of a symbol, at each minute mark of the clock
 *   dailyBars    the day so far, after each minute in which the symbol traded
 *   orderbooks   the whole book to a new listener, then changes
 *   the others   as they happen
 * A virtual clock waits at every mark until all news is sent, so an advance publishes everything in order.
 */
export class WorldFeed<Listener> implements Feed<Listener> {
  readonly #parts: FeedParts<Listener>
  readonly #interest = recordBy(feedChannels, () => new Interest<Listener>())
  readonly #chains = recordBy(kinds, () => new Map<Ticker, RunningChain>())
  readonly #minutes: MinuteBars
  readonly #books = new Map<Ticker, QuoteBook>()
  readonly #starting = new Set<Promise<void>>()
  #cancelMark: (() => void) | undefined
  /** The next minute mark, while one is set. */
  #mark: Instant | undefined
  #silentMinutes = 0
  #publishing: Promise<void> = Promise.resolve()

  constructor(parts: FeedParts<Listener>) {
    this.#parts = parts
    const { bars, dailyBars } = this.#interest
    this.#minutes = new MinuteBars({ ...parts, bars, dailyBars })
  }

  subscribe(listener: Listener, subscription: Subscription): void {
    this.#minutes.forget()
    for (const [channel, interest] of recordEntries(this.#interest))
      for (const symbol of subscription[channel] ?? []) interest.add(symbol, listener)
    if (this.#wantsMinutes) this.#armNext()
    for (const kind of kinds) this.#startChains(kind)
    if (subscription.orderbooks?.length) this.#track(this.#sendBooks(listener, subscription.orderbooks))
  }

  unsubscribe(listener: Listener, unwanted: Subscription): void {
    this.#minutes.forget()
    for (const [channel, interest] of recordEntries(this.#interest))
      for (const symbol of unwanted[channel] ?? []) interest.remove(symbol, listener)
    if (!this.#wantsMinutes) this.#disarm()
    for (const kind of kinds) this.#stopChains(kind)
  }

  onMarketChanged(): void {
    if (this.#cancelMark) this.#armNext()
  }

  onSymbolsAdded(): void {
    this.#minutes.forget()
    for (const kind of kinds) this.#startChains(kind)
  }

  /** Resolves when every chain knows its first tick. Later ticks are found before the clock continues. */
  async started(): Promise<void> {
    if (this.#starting.size > 0) await Promise.all(this.#starting)
  }

  close(): void {
    this.#disarm()
    for (const kind of kinds) {
      for (const chain of this.#chains[kind].values()) chain.stop()
      this.#chains[kind].clear()
    }
  }

  get #wantsMinutes(): boolean {
    return !this.#interest.bars.isEmpty || !this.#interest.dailyBars.isEmpty
  }

  #stopChains(kind: ChainKind): void {
    for (const [symbol, chain] of this.#chains[kind]) {
      if (chainKinds[kind].some((channel) => this.#interest[channel].wants(symbol))) continue
      chain.stop()
      this.#chains[kind].delete(symbol)
      if (kind === 'books') this.#books.delete(symbol)
    }
  }

  #startChains(kind: ChainKind): void {
    const chains = this.#chains[kind]
    const existing = this.#parts.market().assets()
    for (const channel of chainKinds[kind]) {
      const interest = this.#interest[channel]
      if (interest.isEmpty) continue
      for (const symbol of interest.symbols(existing)) {
        if (chains.has(symbol)) continue
        const chain = this.#chain(kind, symbol)
        chains.set(symbol, chain)
        this.#track(chain.started)
      }
    }
  }

  #track(work: Promise<void>): void {
    const tracked = work.catch(this.#parts.failed).finally(() => this.#starting.delete(tracked))
    this.#starting.add(tracked)
  }

  #chain(kind: ChainKind, symbol: Ticker): RunningChain {
    const { clock, market, delayNs, failed } = this.#parts
    const chain = <Tick>(next: ChainParts<Tick>['next'], publish: (tick: Tick) => void): RunningChain =>
      new FeedChain({ clock, delayNs, failed, next, publish })
    switch (kind) {
      case 'trades':
        return chain(nextTrades(market, symbol), (trades) =>
          this.#publish({ channel: 'trades', symbol, trades }),
        )
      case 'quotes':
        return chain(nextQuotes(market, symbol), (quote) =>
          this.#publish({ channel: 'quotes', symbol, quote }),
        )
      case 'books':
        return chain(nextBooks(market, symbol), (book) => this.#publishBookChange(symbol, book))
      case 'events':
        return chain(nextEvents(market, symbol), (events) => {
          for (const event of events) this.#publish(newsOf(event, symbol))
        })
    }
  }

  #publish(news: News): void {
    const listeners = this.#listeners(news)
    if (listeners.size > 0) this.#parts.send(news, listeners)
  }

  #listeners(news: News): ReadonlySet<Listener> {
    return this.#interest[feedChannelOf(news)].listeners(news.symbol)
  }

  /** Sends the whole book to a new listener; other listeners receive changes. */
  async #sendBooks(listener: Listener, wanted: readonly string[]): Promise<void> {
    const { clock, market, delayNs, send } = this.#parts
    const requested = new Interest<Listener>()
    for (const symbol of wanted) requested.add(symbol, listener)
    for (const symbol of requested.symbols(market().assets())) {
      const book =
        this.#books.get(symbol) ?? (await market().history.book(symbol, earlier(clock.now(), delayNs)))
      if (!book || !this.#interest.orderbooks.wants(symbol)) continue
      // A book that was sent to others meanwhile is newer.
      const newest = this.#books.get(symbol) ?? book
      this.#books.set(symbol, newest)
      send({ channel: 'orderbooks', symbol, book: newest, isWhole: true }, new Set([listener]))
    }
  }

  #publishBookChange(symbol: Ticker, book: QuoteBook): void {
    const before = this.#books.get(symbol)
    if (!before) return
    this.#books.set(symbol, book)
    const change = bookChange(before, book)
    if (change.bids.length + change.asks.length === 0) return
    this.#publish({ channel: 'orderbooks', symbol, book: change, isWhole: false })
  }

  #disarm(): void {
    this.#cancelMark?.()
    this.#cancelMark = undefined
    this.#mark = undefined
  }

  /** Sets the mark at the end of this minute, unless it is set. */
  #armNext(): void {
    const next = markAfter(this.#parts.clock.now())
    this.#silentMinutes = 0
    if (this.#mark !== undefined && this.#mark <= next) return
    this.#disarm()
    this.#arm(next)
  }

  #arm(mark: Instant): void {
    this.#mark = mark
    this.#cancelMark = this.#parts.clock.timer(mark, 'feed', () => this.#marked(mark))
  }

  /** The next mark is set before this one is published, so that a slow source does not delay the wall clock. */
  #marked(mark: Instant): Promise<void> {
    const earliest = markAfter(earlier(this.#parts.clock.now(), MINUTES_LATE_MAX * MINUTE))
    const next = later(mark, MINUTE)
    this.#arm(max(next, earliest))
    this.#publishing = this.#publishing.then(() => this.#publishMinute(mark)).catch(this.#parts.failed)
    return this.#publishing
  }

  async #publishMinute(mark: Instant): Promise<void> {
    const news = await this.#minutes.at(mark)
    for (const one of news) this.#publish(one)
    this.#silentMinutes = news.length > 0 ? 0 : this.#silentMinutes + 1
    if (this.#parts.skipsSilence && this.#silentMinutes >= SILENT_MINUTES) await this.#skipSilence(mark)
  }

  async ahead(marks: MinuteMarks): Promise<readonly MinuteNews[]> {
    if (this.#mark !== marks.due) return []
    const minutes = await this.#minutes.ahead(marks)
    return minutes.map(({ at, news }) => ({ at, news: news.filter((one) => this.#listeners(one).size > 0) }))
  }

  /** Sets the next mark after the next trade, or an hour later. */
  async #skipSilence(mark: Instant): Promise<void> {
    const { market, delayNs } = this.#parts
    const from = earlier(mark, delayNs)
    const next = await minuteOfNextTrade(market(), this.#minutes.symbols(), from)
    if (next === undefined || this.#mark !== mark + MINUTE) return
    this.#disarm()
    this.#arm(later(next, delayNs))
  }
}
