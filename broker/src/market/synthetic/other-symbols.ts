import { type CustomSymbol, type Profile, profileOf, type Ticker, tickerOf } from '@quipu/core'

/** The symbols of worlds that share a market and list symbols on first use. One symbol has one profile in a market. */
export class OtherSymbols {
  readonly #known = new Map<Ticker, CustomSymbol>()

  readonly profileOf = (symbol: Ticker): Profile => profileOf(this.#known.get(symbol) ?? { symbol })

  /** Takes these symbols in; false, and nothing changes, if one of them is known with other estimates. */
  accept(symbols: readonly CustomSymbol[]): boolean {
    if (symbols.some((one) => this.#differs(one))) return false
    for (const one of symbols) this.#known.set(tickerOf(one.symbol), one)
    return true
  }

  #differs(custom: CustomSymbol): boolean {
    const known = this.#known.get(tickerOf(custom.symbol))
    return known !== undefined && textOf(known) !== textOf(custom)
  }
}

const textOf = ({ estimates }: CustomSymbol): string =>
  JSON.stringify(estimates && { ...estimates, price: String(estimates.price) }) ?? ''
