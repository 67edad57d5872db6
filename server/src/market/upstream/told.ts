import type { Bar, Instant, Ticker, Trade } from '@quipu/core'

/** Trades of one symbol that are remembered one by one. */
const REMEMBERED = 64

/** `last`: the newest of them all; `upTo`: the newest of those that are no longer remembered. */
type ToldTrades = { readonly keys: Set<string>; last: Instant; upTo: Instant }

/** What was told of each symbol, so that nothing is told twice when it comes by stream and by request. */
export class Told {
  readonly #trades = new Map<Ticker, ToldTrades>()
  readonly #bars = new Map<Ticker, Instant>()

  /**
   * Whether a trade is new; it counts as told from now on. One that may have come on another road before (`again`) is
   * not believed to be new if it is older than what is remembered.
   */
  trade(symbol: Ticker, { at, id, exchange }: Trade, again: boolean): boolean {
    const told = this.#trades.get(symbol) ?? { keys: new Set(), last: at, upTo: 0n as Instant }
    const key = `${at}.${id}.${exchange}`
    if (told.keys.has(key) || (again && at <= told.upTo)) return false
    this.#trades.set(symbol, told)
    told.keys.add(key)
    if (at > told.last) told.last = at
    if (told.keys.size <= REMEMBERED) return true
    const oldest = told.keys.values().next().value!
    told.keys.delete(oldest)
    const oldestAt = BigInt(oldest.split('.', 1)[0]!) as Instant
    if (oldestAt > told.upTo) told.upTo = oldestAt
    return true
  }

  /** Whether a minute is new; minutes come in order. */
  bar(symbol: Ticker, { start }: Bar): boolean {
    const last = this.#bars.get(symbol)
    if (last !== undefined && start <= last) return false
    this.#bars.set(symbol, start)
    return true
  }

  /** Symbols of which something was told. */
  symbols(kind: 'trades' | 'bars'): readonly Ticker[] {
    return [...(kind === 'trades' ? this.#trades : this.#bars).keys()]
  }

  lastTrade(symbol: Ticker): Instant | undefined {
    return this.#trades.get(symbol)?.last
  }

  lastBar(symbol: Ticker): Instant | undefined {
    return this.#bars.get(symbol)
  }

  /** Nobody follows it any more. */
  forget(kind: 'trades' | 'bars', symbol: Ticker): void {
    ;(kind === 'trades' ? this.#trades : this.#bars).delete(symbol)
  }
}
