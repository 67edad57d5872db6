// A bot on the official SDK alone: it buys ten shares, once, when the price is 0.5 % below the first price.
import type { Alpaca } from '@alpacahq/alpaca-trade-api'

export class DipBuyer {
  readonly #alpaca: Alpaca
  #first: number | undefined
  #isDone = false

  constructor(alpaca: Alpaca) {
    this.#alpaca = alpaca
  }

  async checkPrice(): Promise<void> {
    const price = await this.#alpaca.marketData.getLatestPrice('TSLA')
    if (price === undefined || this.#isDone) return
    this.#first ??= price
    if (price > this.#first * 0.995) return
    this.#isDone = true
    await this.#alpaca.trading.orders.market({ symbol: 'TSLA', qty: 10, side: 'buy', clientOrderId: 'dip' })
  }
}
