import { coinFeeSchema, regulatoryFeesSchema } from '../account/fees.ts'
import type { Money, Price, Quantity } from '../amount.ts'
import type { AccountId, ActionId, AssetId, ExecutionId, OrderId, Ticker } from '../ids.ts'
import { postingSchema } from '../ledger/posting.ts'
import { lastTradeSchema, quoteSchema } from '../market/prices.ts'
import { amount, date, event, id, instant, oneOf, optional, record, type ValueOf } from '../schema.ts'
import type { CivilDate, Instant } from '../time.ts'
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

/** The order as placed, and the values it was decided with. */
const orderAccepted = event('orderAccepted', {
  at: instant<Instant>(),
  accountId: id<AccountId>(),
  order: orderSchema,
  decidedWith: decidedWithSchema,
})
export type OrderAccepted = ValueOf<typeof orderAccepted>

const ofOrder = { at: instant<Instant>(), accountId: id<AccountId>(), orderId: id<OrderId>() }

/** A queued order leaves for the market at the start of its session. */
const orderReleased = event('orderReleased', { ...ofOrder, due: instant<Instant>() })
export type OrderReleased = ValueOf<typeof orderReleased>

/** The market has accepted the order. */
const orderAcknowledged = event('orderAcknowledged', ofOrder)
export type OrderAcknowledged = ValueOf<typeof orderAcknowledged>

const orderFilled = event('orderFilled', {
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
})
export type OrderFilled = ValueOf<typeof orderFilled>

/** A take-profit starts working when its parent is filled. */
const orderActivated = event('orderActivated', ofOrder)
export type OrderActivated = ValueOf<typeof orderActivated>

/** A stop-loss starts waiting for its trigger when its parent is filled; its status stays held. */
const stopActivated = event('stopActivated', ofOrder)
export type StopActivated = ValueOf<typeof stopActivated>

/** A trailing stop follows the best price. */
const stopAdjusted = event('stopAdjusted', { ...ofOrder, highWater: amount<Price>(), stop: amount<Price>() })
export type StopAdjusted = ValueOf<typeof stopAdjusted>

/** A trade reached the stop; the order starts working. */
const orderElected = event('orderElected', { ...ofOrder, trade: lastTradeSchema })
export type OrderElected = ValueOf<typeof orderElected>

/** A leg changes its size after a partial fill of its sibling or parent. */
const orderResized = event('orderResized', { ...ofOrder, quantity: amount<Quantity>() })
export type OrderResized = ValueOf<typeof orderResized>

/** A corporate action changed the terms; absent fields stay unchanged. */
const orderRestated = event('orderRestated', {
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
})
export type OrderRestated = ValueOf<typeof orderRestated>

/** Another order, accepted in the same decision, replaces it. */
const orderReplaced = event('orderReplaced', { ...ofOrder, by: id<OrderId>() })
export type OrderReplaced = ValueOf<typeof orderReplaced>

const orderCanceled = event('orderCanceled', {
  ...ofOrder,
  /**
   * Requested by the owner; GTC age limit; another member of the group ended; an immediate order was not filled
   * completely; a corporate action.
   */
  why: oneOf('asked', 'aged', 'group', 'unfilled', 'action'),
})
export type OrderCanceled = ValueOf<typeof orderCanceled>

const orderExpired = event('orderExpired', ofOrder)
export type OrderExpired = ValueOf<typeof orderExpired>

export const orderEvents = [
  orderAccepted,
  orderReleased,
  orderAcknowledged,
  orderActivated,
  stopActivated,
  stopAdjusted,
  orderElected,
  orderResized,
  orderReplaced,
  orderRestated,
  orderFilled,
  orderCanceled,
  orderExpired,
] as const
export type OrderEvent = ValueOf<(typeof orderEvents)[number]>
