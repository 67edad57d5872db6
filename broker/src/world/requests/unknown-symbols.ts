const SYMBOLS_MAX = 1000

/** Symbols that clients named and that the world does not have, since it was opened. */
export class UnknownSymbols {
  readonly #requests = new Map<string, number>()

  /** A symbol above the limit is not noted. */
  note(symbol: string): void {
    const known = this.#requests.get(symbol)
    if (known === undefined && this.#requests.size >= SYMBOLS_MAX) return
    this.#requests.set(symbol, (known ?? 0) + 1)
  }

  /** The requests and subscriptions by symbol, in the order of the first ones. */
  all(): ReadonlyMap<string, number> {
    return this.#requests
  }
}
