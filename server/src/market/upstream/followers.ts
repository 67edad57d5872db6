import { EVERYTHING } from '../interest.ts'
import type { FeedChannel, News } from '../news.ts'

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
