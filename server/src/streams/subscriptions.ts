import { tradeFollowUps } from '@quipu/contract'

/** Symbols by channel. */
export type ChannelLists = { readonly [channel: string]: readonly string[] }

/** The subscriptions of one client. */
export class SubscriptionSet {
  readonly #channels: readonly string[]
  readonly #symbolsMax: number
  /** Only channels with symbols, and lists instead of sets, to save memory: most clients use few. */
  #lists: ChannelLists = {}

  constructor(channels: readonly string[], symbolsMax: number) {
    this.#channels = channels
    this.#symbolsMax = symbolsMax
  }

  /** Adds all symbols; above the limit it adds none and returns false. */
  add(lists: ChannelLists): boolean {
    const all: Record<string, readonly string[]> = { ...this.#lists }
    for (const [channel, symbols] of Object.entries(lists))
      if (symbols.length > 0) all[channel] = [...new Set([...(all[channel] ?? []), ...symbols])]
    let size = 0
    for (const symbols of Object.values(all)) size += symbols.length
    if (size > this.#symbolsMax) return false
    this.#lists = all
    return true
  }

  remove(lists: ChannelLists): void {
    const left: Record<string, readonly string[]> = {}
    for (const [channel, symbols] of Object.entries(this.#lists)) {
      const unwanted = new Set(lists[channel])
      const kept = symbols.filter((symbol) => !unwanted.has(symbol))
      if (kept.length > 0) left[channel] = kept
    }
    this.#lists = left
  }

  /** The subscribed symbols by channel. */
  lists(): ChannelLists {
    return this.#lists
  }

  /** Every channel of the stream in order, because some clients drop channels that a response omits. */
  all(): ChannelLists {
    const followers: readonly string[] = tradeFollowUps
    return Object.fromEntries(
      this.#channels.map((channel) => [
        channel,
        this.#lists[followers.includes(channel) ? 'trades' : channel] ?? [],
      ]),
    )
  }
}
