import type { Instant, Moment, Prices } from '@quipu/core'
import type { MarketPrices } from '../market/market-source.ts'

/** The moment of one command. Most commands read no prices, so prices are looked up on demand. */
export class CommandMoment implements Moment {
  readonly at: Instant
  readonly asset: Moment['asset']
  readonly id: Moment['id']
  readonly #market: MarketPrices

  constructor(at: Instant, market: MarketPrices, asset: Moment['asset'], id: Moment['id']) {
    this.at = at
    this.asset = asset
    this.id = id
    this.#market = market
  }

  get prices(): Prices {
    return this.#market.pricesAt(this.at)
  }
}
