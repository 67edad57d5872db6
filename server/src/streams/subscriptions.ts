import { tradeFollowUps } from '@quipu/contract'

/** Symbols by channel. */
export type ChannelLists = { readonly [channel: string]: readonly string[] }

/** What one client has subscribed to. */
export class Subscriptions {
  readonly #channels: readonly string[]
  readonly #symbolsMax: number
  /** Only channels with something in them: most clients want few. */
  readonly #sets = new Map<string, Set<string>>()

  constructor(channels: readonly string[], symbolsMax: number) {
    this.#channels = channels
    this.#symbolsMax = symbolsMax
  }

  /** Adds all of them; or nothing, and says no, where that would be more than the limit. */
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

  /** What was asked for. */
  lists(): ChannelLists {
    return Object.fromEntries([...this.#sets].map(([channel, set]) => [channel, [...set]]))
  }

  /** Every channel of the stream, in its order: some clients forget the channels an answer leaves out. */
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
