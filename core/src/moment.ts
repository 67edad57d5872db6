import type { Ticker } from './ids.ts'
import type { Asset } from './market/asset.ts'
import type { Prices } from './market/prices.ts'
import type { Instant } from './time.ts'

/** What the engine hands to a decision: when it is, what the market shows, and a maker of ids. */
export type Moment = {
  readonly at: Instant
  readonly prices: Prices
  asset(symbol: Ticker): Asset | undefined
  /** A uuid made from the world's seed, whose it is, that one's number of events so far, and a counter. */
  id(scope: string, events: number, n: number): string
}
