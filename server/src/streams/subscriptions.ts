import { tradeFollowUps } from '@quipu/contract'

/** Symbols by channel. */
export type ChannelLists = { readonly [channel: string]: readonly string[] }

/** The subscriptions of one client. */
export class Subscriptions {
  readonly #channels: readonly string[]
  readonly #symbolsMax: number
  /** Only channels with symbols, to save memory: most clients use few. */
  readonly #sets = new Map<string, Set<string>>()

  constructor(channels: readonly string[], symbolsMax: number) {
    this.#channels = channels
    this.#symbolsMax = symbolsMax
  }

  /** Adds all symbols; above the limit it adds none and returns false. */
  add(lists: ChannelLists): boolean {
    const sets = new Map(this.#sets)
    for (const [channel, symbols] of Object.entries(lists))
      if (symbols.length > 0) sets.set(channel, new Set([...(sets.get(channel) ?? []), ...symbols]))
    let size = 0
    for (const set of sets.values()) size += set.size
    if (size > this.#symbolsMax) return false
    for (const [channel, set] of sets) this.#sets.set(channel, set)
    return true
  }

  remove(lists: ChannelLists): void {
    for (const [channel, symbols] of Object.entries(lists)) {
      const set = this.#sets.get(channel)
      for (const symbol of symbols) set?.delete(symbol)
      if (set?.size === 0) this.#sets.delete(channel)
    }
  }

  /** The subscribed symbols by channel. */
  lists(): ChannelLists {
    return Object.fromEntries([...this.#sets].map(([channel, set]) => [channel, [...set]]))
  }

  /** Every channel of the stream in order, because some clients drop channels that a response omits. */
  all(): ChannelLists {
    const followers: readonly string[] = tradeFollowUps
    return Object.fromEntries(
      this.#channels.map((channel) => [
        channel,
        [...(this.#sets.get(followers.includes(channel) ? 'trades' : channel) ?? [])],
      ]),
    )
  }
}
