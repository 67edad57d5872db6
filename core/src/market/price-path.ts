import type { Price } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import { amount, id, instant, integer, list, optional, record, type ValueOf } from '../schema.ts'
import type { Instant } from '../time.ts'

/**
 * The prices of a symbol as given for a world. Between two points of the same day the price moves in a straight line.
 * Between days, and after the last point, the last price stays.
 */
export const pricePathSchema = record({
  symbol: id<Ticker>(),
  points: list(
    record({
      /** A whole minute. */
      at: instant<Instant>(),
      price: amount<Price>(),
      /** Shares or coins traded per minute from this point on. */
      volume: optional(integer()),
    }),
  ),
})
export type PricePath = ValueOf<typeof pricePathSchema>
