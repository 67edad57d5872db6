import { amount, integer, oneOf, optional, record, type ValueOf } from '../../schema.ts'

/**
 * A seeded duration between two bounds, in nanoseconds. `uniform`: every value is equally likely. `longTail`:
 * most values are near the minimum, one of ten is above two thirds of the range.
 */
const delaySchema = record({
  minNs: amount(),
  maxNs: amount(),
  shape: oneOf('uniform', 'longTail'),
})
export type Delay = ValueOf<typeof delaySchema>

/** Shares are in millionths of all cases. */
export const MILLION = 1_000_000

/** Behaviour of the market towards orders. An absent field: none of that behaviour. */
export const venueSchema = record({
  /** From the acceptance of an order until the market has it; replaces the fixed latency of the world. */
  latency: optional(delaySchema),
  /** Share of orders that the market rejects instead of acknowledging them. */
  rejectShare: optional(integer()),
  /** From the request until the market decides on a cancel or a replacement; a fill in between wins. */
  cancelLatency: optional(delaySchema),
  replaceLatency: optional(delaySchema),
  /** Share of cancels and replacements that the market rejects. */
  cancelRejectShare: optional(integer()),
  replaceRejectShare: optional(integer()),
  /** Share of orders that the market stops working for the rest of the session. */
  doneForDayShare: optional(integer()),
  /** Number of pieces in which an order fills, and the time between two of them. */
  fillPieces: optional(record({ min: integer(), max: integer() })),
  fillInterval: optional(delaySchema),
  /** All fills of a minute together are at most this share of its volume. */
  participation: optional(integer()),
  /** The price moves by so many basis points per displayed size that an order takes. */
  impactBasisPoints: optional(integer()),
})
export type Venue = ValueOf<typeof venueSchema>
