import { coinFeeSchema, regulatoryFeesSchema } from '../account/fees/fees.ts'
import type { Money, Price, Quantity } from '../amount.ts'
import type { CivilDate } from '../civil-date.ts'
import type { AccountId, ActionId, AssetId, ExecutionId, OrderId, Ticker } from '../ids.ts'
import { postingSchema } from '../ledger/ledger.ts'
import { lastTradeSchema, quoteSchema } from '../market/prices.ts'
import {
  amount,
  date,
  type EventIn,
  events,
  id,
  instant,
  integer,
  oneOf,
  optional,
  record,
  type ValueOf,
} from '../schema.ts'
import type { Instant } from '../time.ts'
import { orderSchema } from './order.ts'

/** The inputs of a decision; empty for a leg. */
const decidedWithSchema = record({
  /** The trading phase at the decision; `always` for assets without trading hours. */
  session: optional(oneOf('always', 'regular', 'extended', 'closed')),
  /** The estimated price of a share, and the market data used for it. */
  reference: optional(amount<Price>()),
  quote: optional(quoteSchema),
  traded: optional(amount<Price>()),
  /** For an opening order: its cost, the buying power, and the margin multiplier. */
  cost: optional(amount<Money>()),
  buyingPower: optional(amount<Money>()),
  multiplier: optional(oneOf(1, 2, 4)),
  /** For a closing order: the position, signed, and the shares available. */
  position: optional(amount<Quantity>()),
  available: optional(amount<Quantity>()),
})
export type DecidedWith = ValueOf<typeof decidedWithSchema>
export type TradingPhase = NonNullable<DecidedWith['session']>

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
const venueFillSchema = record({
  /** The volume of the minute, if fills are limited to a share of it. */
  volume: optional(amount<Quantity>()),
  piecesLeft: optional(integer()),
  restsUntil: optional(instant<Instant>()),
})

export const orderEvents = events({
  /** The order as placed, and the values it was decided with. */
  orderAccepted: {
    accountId: id<AccountId>(),
    order: orderSchema,
    decidedWith: decidedWithSchema,
  },
  /** A queued order leaves for the market at the start of its session. */
  orderReleased: { ...ofOrder, due: instant<Instant>() },
  /** The market has accepted the order. */
  orderAcknowledged: ofOrder,
  /** A take-profit starts working when its parent is filled. */
  orderActivated: ofOrder,
  /** A stop-loss starts waiting for its trigger when its parent is filled; its status stays held. */
  stopActivated: ofOrder,
  /** A trailing stop follows the best price. */
  stopAdjusted: { ...ofOrder, highWater: amount<Price>(), stop: amount<Price>() },
  /** A trade reached the stop; the order starts working. */
  orderElected: { ...ofOrder, trade: lastTradeSchema },
  /** A leg changes its size after a partial fill of its sibling or parent. */
  orderResized: { ...ofOrder, quantity: amount<Quantity>() },
  /** Another order, accepted in the same decision, replaces it. */
  orderReplaced: { ...ofOrder, by: id<OrderId>() },
  /** A corporate action changed the terms; absent fields stay unchanged. */
  orderRestated: {
    ...ofOrder,
    actionId: id<ActionId>(),
    changes: record({
      symbol: optional(id<Ticker>()),
      assetId: optional(id<AssetId>()),
      quantity: optional(amount<Quantity>()),
      limit: optional(amount<Price>()),
      reserve: optional(amount<Price>()),
      trigger: optional(
        record({
          stop: optional(amount<Price>()),
          highWater: optional(amount<Price>()),
          trailPrice: optional(amount<Price>()),
        }),
      ),
    }),
  },
  orderFilled: {
    ...ofOrder,
    executionId: id<ExecutionId>(),
    symbol: id<Ticker>(),
    price: amount<Price>(),
    quantity: amount<Quantity>(),
    /** In whole cents: buys are rounded up, sells down. */
    cash: amount<Money>(),
    settles: date<CivilDate>(),
    positionAfter: amount<Quantity>(),
    quote: quoteSchema,
    posting: postingSchema,
    /** Regulatory fees, booked at the end of the day. */
    fees: optional(regulatoryFeesSchema),
    /** Crypto fee, included in the posting. */
    coinFee: optional(coinFeeSchema),
    /** The remaining quantity of a notional order, estimated at this price; zero if complete. */
    rest: optional(amount<Quantity>()),
    /** Set for a fill in an auction; the quote is then its print. */
    auction: optional(oneOf('open', 'close')),
    /** Set in a world with venue settings. */
    venue: optional(venueFillSchema),
  },
  orderCanceled: {
    ...ofOrder,
    /**
     * Requested by the owner; GTC age limit; another member of the group ended; an immediate order was not filled
     * completely; a corporate action; a margin call that was not met.
     */
    why: oneOf('asked', 'aged', 'group', 'unfilled', 'action', 'liquidation'),
  },
  orderExpired: ofOrder,
  ...venueEventFields,
})
export type OrderEvent = EventIn<typeof orderEvents>
export type OrderAccepted = ValueOf<typeof orderEvents.orderAccepted>
export type OrderReleased = ValueOf<typeof orderEvents.orderReleased>
export type StopAdjusted = ValueOf<typeof orderEvents.stopAdjusted>
export type OrderElected = ValueOf<typeof orderEvents.orderElected>
export type OrderRestated = ValueOf<typeof orderEvents.orderRestated>
export type OrderFilled = ValueOf<typeof orderEvents.orderFilled>
export type OrderRejected = ValueOf<typeof orderEvents.orderRejected>
export type OrderReplaceRejected = ValueOf<typeof orderEvents.orderReplaceRejected>
/** Events that occur only in a world with venue settings. */
export type VenueEvent = Extract<OrderEvent, { kind: keyof typeof venueEventFields }>
export type OrderCanceled = ValueOf<typeof orderEvents.orderCanceled>
