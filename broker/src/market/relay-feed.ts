import { type AssetClass, tickerOf } from '@quipu/core'
import type { Feed } from './feed.ts'
import { EVERYTHING, Interest } from './interest.ts'
import type { LiveMarket } from './live.ts'
import { type FeedChannel, feedChannelOf, feedChannels, type News, type Subscription } from './news.ts'

export type RelayParts<Listener> = {
  readonly class: AssetClass
  readonly live: LiveMarket
  /** Sends news once to every subscribed listener. */
  readonly send: (news: News, listeners: ReadonlySet<Listener>) => void
}

/** The live feed of a market that is not known in advance: relays its news to subscribed listeners. */
export class RelayFeed<Listener> implements Feed<Listener> {
  readonly #parts: RelayParts<Listener>
  readonly #interest = new Map<FeedChannel, Interest<Listener>>()
  /** Functions that stop following, by channel and symbol. */
  readonly #followed = new Map<FeedChannel, Map<string, () => void>>()

  constructor(parts: RelayParts<Listener>) {
    this.#parts = parts
  }

  subscribe(listener: Listener, wanted: Subscription): void {
    for (const [channel, symbols] of listsOf(wanted)) {
      const interest = this.#interest.get(channel) ?? new Interest<Listener>()
      this.#interest.set(channel, interest)
      for (const symbol of symbols) {
        interest.add(symbol, listener)
        this.#follow(channel, symbol)
        if (channel === 'orderbooks') this.#sendBook(symbol, listener)
      }
    }
  }

  unsubscribe(listener: Listener, unwanted: Subscription): void {
    for (const [channel, symbols] of listsOf(unwanted))
      for (const symbol of symbols) {
        const interest = this.#interest.get(channel)
        interest?.remove(symbol, listener)
        if (interest?.has(symbol)) continue
        this.#followed.get(channel)?.get(symbol)?.()
        this.#followed.get(channel)?.delete(symbol)
      }
  }

  /** Nothing to do: the provider accepts subscriptions of unknown symbols. */
  onSymbolsAdded(): void {}

  /** Nothing is known in advance. */
  async started(): Promise<void> {}

  close(): void {
    for (const symbols of this.#followed.values()) for (const stop of symbols.values()) stop()
    this.#followed.clear()
  }

  #follow(channel: FeedChannel, symbol: string): void {
    const symbols = this.#followed.get(channel) ?? new Map<string, () => void>()
    this.#followed.set(channel, symbols)
    if (symbols.has(symbol)) return
    symbols.set(symbol, this.#parts.live.follow({ class: this.#parts.class, channel, symbol }, this.#onNews))
  }

  /** One function for all subscriptions, so that news arrives once. */
  readonly #onNews = (news: News): void => {
    const listeners = this.#interest.get(feedChannelOf(news))?.listeners(news.symbol)
    if (listeners && listeners.size > 0) this.#parts.send(news, listeners)
  }

  /** A later listener gets the current book; the first one gets it from the market. */
  #sendBook(symbol: string, listener: Listener): void {
    if (symbol === EVERYTHING) return
    const book = this.#parts.live.book(tickerOf(symbol))
    if (book) this.#parts.send(book, new Set([listener]))
  }
}

/** Only channels with data. */
const listsOf = (lists: Subscription): readonly (readonly [FeedChannel, readonly string[]])[] =>
  feedChannels.flatMap((channel) => {
    const symbols = lists[channel]
    return symbols?.length ? [[channel, symbols] as const] : []
  })
