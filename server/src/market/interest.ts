import type { Ticker } from '@quipu/core'

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
