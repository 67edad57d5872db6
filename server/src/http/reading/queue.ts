import type { Instant, OrderFilled, Side } from '@quipu/core'

/** What orders have taken of the newest quote of a symbol, side by side; a quote is given away once. */
export class Queue {
  #quoteAt: Instant | undefined
  #taken: Record<Side, bigint> = { buy: 0n, sell: 0n }

  take(fill: OrderFilled): void {
    if (fill.quote.at !== this.#quoteAt) {
      this.#quoteAt = fill.quote.at
      this.#taken = { buy: 0n, sell: 0n }
    }
    this.#taken[sideOf(fill)] += fill.quantity
  }

  takenOf(fill: OrderFilled): bigint {
    return fill.quote.at === this.#quoteAt ? this.#taken[sideOf(fill)] : 0n
  }
}

/** Whoever gets the shares bought. */
function sideOf({ posting, symbol, accountId }: OrderFilled): Side {
  const mine = posting.find(
    ({ account, asset }) => account.includes(accountId) && asset === (symbol as string),
  )
  return (mine?.amount ?? 0n) > 0n ? 'buy' : 'sell'
}
