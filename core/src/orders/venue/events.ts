import type { Price, Quantity } from '../../amount.ts'
import type { AccountId, OrderId } from '../../ids.ts'
import { amount, id, instant, integer, oneOf, optional, record } from '../../schema.ts'
import type { Instant } from '../../time.ts'

const ofOrder = { accountId: id<AccountId>(), orderId: id<OrderId>() }
/** A seeded draw and the share of the world below which it counts, in millionths. */
const drawn = { draw: integer(), share: integer() }

/** Events of orders that occur only in a world with venue settings. */
export const venueEventFields = {
  /** `market`: the draw was below the share. `replacement`: the order that it was to replace was not replaced. */
  orderRejected: {
    ...ofOrder,
    why: oneOf('market', 'replacement'),
    draw: optional(integer()),
    share: optional(integer()),
  },
  /** The owner asked for a cancel. The market decides at `confirmAt`; until then the order can fill. */
  orderCancelRequested: { ...ofOrder, confirmAt: instant<Instant>() },
  orderCancelRejected: { ...ofOrder, ...drawn },
  /** The owner asked for a replacement by an order of this quantity, which is accepted in the same decision. */
  orderReplaceRequested: {
    ...ofOrder,
    by: id<OrderId>(),
    quantity: amount<Quantity>(),
    reserve: amount<Price>(),
  },
  /** `market`: the draw was below the share. `ended`: one of the two orders was filled or ended before. */
  orderReplaceRejected: {
    ...ofOrder,
    by: id<OrderId>(),
    why: oneOf('market', 'ended'),
    draw: optional(integer()),
    share: optional(integer()),
  },
  /** The market stops working the order for the rest of the session; a GTC order works again in the next one. */
  orderDoneForDay: { ...ofOrder, resumesAt: optional(instant<Instant>()) },
  orderResumed: ofOrder,
  /** The order rested after a piece of it filled, and can fill again. */
  orderRequeued: ofOrder,
} as const

/** The numbers of the venue settings that decided a fill. */
export const venueFillSchema = record({
  /** The volume of the minute, if fills are limited to a share of it. */
  volume: optional(amount<Quantity>()),
  piecesLeft: optional(integer()),
  restsUntil: optional(instant<Instant>()),
})
