import type { Instant, Moment, Prices } from '@quipu/core'
import type { MarketSource } from '../market/market-source.ts'

/** The moment of one command. Most do not look at the market: its prices are made when asked for. */
export class Now implements Moment {
  readonly at: Instant
  readonly asset: Moment['asset']
  readonly id: Moment['id']
  readonly #market: MarketSource

  constructor(at: Instant, market: MarketSource, asset: Moment['asset'], id: Moment['id']) {
    this.at = at
    this.asset = asset
    this.id = id
    this.#market = market
  }

  get prices(): Prices {
    return this.#market.pricesAt(this.at)
  }
}
