import { followingTrades } from '@quipu/contract'

/** Symbols by channel. */
export type ChannelLists = { readonly [channel: string]: readonly string[] }

/** What one client has subscribed to. */
export class Subscriptions {
  readonly #channels: readonly string[]
  readonly #symbolsMax: number
  readonly #sets: ReadonlyMap<string, Set<string>>

  constructor(channels: readonly string[], symbolsMax: number) {
    const followers: readonly string[] = followingTrades
    this.#channels = channels
    this.#symbolsMax = symbolsMax
    this.#sets = new Map(
      channels.filter((channel) => !followers.includes(channel)).map((channel) => [channel, new Set()]),
    )
  }

  /** Adds all of them; or nothing, and says no, where that would be more than the limit. */
  add(lists: ChannelLists): boolean {
    let size = 0
    for (const [channel, set] of this.#sets) size += set.size + fresh(set, lists[channel]).size
    if (size > this.#symbolsMax) return false
    for (const [channel, symbols] of Object.entries(lists))
      for (const symbol of symbols) this.#sets.get(channel)?.add(symbol)
    return true
  }

  remove(lists: ChannelLists): void {
    for (const [channel, symbols] of Object.entries(lists))
      for (const symbol of symbols) this.#sets.get(channel)?.delete(symbol)
  }

  /** What was asked for. */
  lists(): ChannelLists {
    return Object.fromEntries([...this.#sets].map(([channel, set]) => [channel, [...set]]))
  }

  /** Every channel of the stream, in its order: some clients forget the channels an answer leaves out. */
  all(): ChannelLists {
    return Object.fromEntries(
      this.#channels.map((channel) => [
        channel,
        [...(this.#sets.get(channel) ?? this.#sets.get('trades') ?? [])],
      ]),
    )
  }
}

const fresh = (known: ReadonlySet<string>, symbols: readonly string[] = []): ReadonlySet<string> =>
  new Set(symbols.filter((symbol) => !known.has(symbol)))
