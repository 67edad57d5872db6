import type { NewId, Ticker } from './ids.ts'
import type { Asset } from './market/assets/asset.ts'
import type { Prices } from './market/prices.ts'
import type { Instant } from './time.ts'

/** Inputs of a decision from the engine: time, market prices, assets and an id generator. */
export type Moment = {
  readonly at: Instant
  readonly prices: Prices
  asset(symbol: Ticker): Asset | undefined
  /** A deterministic UUID from the world's seed, a scope, that scope's event count and a counter. */
  id(scope: string, events: number, n: number): NewId
}
