import type { Bar, Instant, Ticker, Trade } from '@quipu/core'

/** Remembered trades per symbol. */
const REMEMBERED = 64

/** `last`: the newest trade; `upTo`: the newest trade that is no longer remembered. */
type PublishedTrades = { readonly keys: Set<string>; last: Instant; upTo: Instant }

/** The published trades and bars of each symbol, so that nothing from stream and request is published twice. */
export class PublishedNews {
  readonly #trades = new Map<Ticker, PublishedTrades>()
  readonly #bars = new Map<Ticker, Instant>()

  /**
   * Whether a trade is new; marks it as published. A trade that may have arrived before (`again`) is not new if it is
   * older than the remembered trades.
   */
  trade(symbol: Ticker, { at, id, exchange }: Trade, again: boolean): boolean {
    const published = this.#trades.get(symbol) ?? { keys: new Set(), last: at, upTo: 0n as Instant }
    const key = `${at}.${id}.${exchange}`
    if (published.keys.has(key) || (again && at <= published.upTo)) return false
    this.#trades.set(symbol, published)
    published.keys.add(key)
    if (at > published.last) published.last = at
    if (published.keys.size <= REMEMBERED) return true
    const oldest = published.keys.values().next().value!
    published.keys.delete(oldest)
    const oldestAt = BigInt(oldest.split('.', 1)[0]!) as Instant
    if (oldestAt > published.upTo) published.upTo = oldestAt
    return true
  }

  /** Whether a minute is new; minutes come in order. */
  bar(symbol: Ticker, { start }: Bar): boolean {
    const last = this.#bars.get(symbol)
    if (last !== undefined && start <= last) return false
    this.#bars.set(symbol, start)
    return true
  }

  /** Symbols with published news. */
  symbols(kind: 'trades' | 'bars'): readonly Ticker[] {
    return [...(kind === 'trades' ? this.#trades : this.#bars).keys()]
  }

  lastTrade(symbol: Ticker): Instant | undefined {
    return this.#trades.get(symbol)?.last
  }

  lastBar(symbol: Ticker): Instant | undefined {
    return this.#bars.get(symbol)
  }

  /** Call when a symbol has no more followers. */
  forget(kind: 'trades' | 'bars', symbol: Ticker): void {
    ;(kind === 'trades' ? this.#trades : this.#bars).delete(symbol)
  }
}
