import type { Ticker } from '@quipu/core'
import type { FeedChannel, News } from './news.ts'

export const EVERYTHING = '*'

/** The listeners of each symbol on one channel. `*` means all symbols. */
export class Interest<Listener> {
  readonly #bySymbol = new Map<string, Set<Listener>>()
  readonly #everything = new Set<Listener>()

  get isEmpty(): boolean {
    return this.#everything.size === 0 && this.#bySymbol.size === 0
  }

  add(symbol: string, listener: Listener): void {
    if (symbol === EVERYTHING) {
      this.#everything.add(listener)
      return
    }
    const listeners = this.#bySymbol.get(symbol)
    if (listeners) listeners.add(listener)
    else this.#bySymbol.set(symbol, new Set([listener]))
  }

  remove(symbol: string, listener: Listener): void {
    if (symbol === EVERYTHING) {
      this.#everything.delete(listener)
      return
    }
    const listeners = this.#bySymbol.get(symbol)
    listeners?.delete(listener)
    if (listeners?.size === 0) this.#bySymbol.delete(symbol)
  }

  /** Whether a listener subscribed to exactly this name; `*` is a name too. */
  has(symbol: string): boolean {
    return symbol === EVERYTHING ? this.#everything.size > 0 : this.#bySymbol.has(symbol)
  }

  wants(symbol: string): boolean {
    return this.#everything.size > 0 || this.#bySymbol.has(symbol)
  }

  /** The existing symbols with listeners, sorted. */
  symbols(existing: ReadonlyMap<Ticker, unknown>): Ticker[] {
    const wanted =
      this.#everything.size > 0
        ? [...existing.keys()]
        : ([...this.#bySymbol.keys()] as Ticker[]).filter((symbol) => existing.has(symbol))
    return wanted.sort()
  }

  /** Each listener once, also one that subscribed to both `*` and this symbol. */
  listeners(symbol: string): ReadonlySet<Listener> {
    const listeners = this.#bySymbol.get(symbol)
    if (!listeners) return this.#everything
    return this.#everything.size === 0 ? listeners : new Set([...this.#everything, ...listeners])
  }
}

export type OnNews = (news: News) => void

/** The followers of each channel and symbol, with reference counts. */
export class Followers {
  readonly #channels = new Map<FeedChannel, Map<string, Map<OnNews, number>>>()
  readonly #changed: () => void

  /** `changed` is called when the set of followed symbols changes. */
  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Returns a function that removes the follower. */
  add(channel: FeedChannel, symbol: string, onNews: OnNews): () => void {
    const symbols = this.#channels.get(channel) ?? new Map<string, Map<OnNews, number>>()
    this.#channels.set(channel, symbols)
    const listeners = symbols.get(symbol) ?? new Map<OnNews, number>()
    if (listeners.size === 0) symbols.set(symbol, listeners)
    listeners.set(onNews, (listeners.get(onNews) ?? 0) + 1)
    this.#changed()
    let isRemoved = false
    return () => {
      if (isRemoved) return
      isRemoved = true
      this.#remove(channel, symbol, onNews)
    }
  }

  has(channel: FeedChannel, symbol: string): boolean {
    const symbols = this.#channels.get(channel)
    return symbols !== undefined && (symbols.has(symbol) || symbols.has(EVERYTHING))
  }

  /** Each follower once, also one that follows both `*` and this symbol. */
  of(channel: FeedChannel, symbol: string): ReadonlySet<OnNews> {
    const symbols = this.#channels.get(channel)
    return new Set([...(symbols?.get(symbol)?.keys() ?? []), ...(symbols?.get(EVERYTHING)?.keys() ?? [])])
  }

  subscriptions(): ReadonlyMap<FeedChannel, ReadonlySet<string>> {
    return new Map([...this.#channels].map(([channel, symbols]) => [channel, new Set(symbols.keys())]))
  }

  #remove(channel: FeedChannel, symbol: string, onNews: OnNews): void {
    const symbols = this.#channels.get(channel)
    const listeners = symbols?.get(symbol)
    const count = (listeners?.get(onNews) ?? 0) - 1
    if (count > 0) listeners?.set(onNews, count)
    else listeners?.delete(onNews)
    if (listeners?.size === 0) symbols?.delete(symbol)
    if (symbols?.size === 0) this.#channels.delete(channel)
    this.#changed()
  }
}
