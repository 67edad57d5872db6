import type { CoinFee, RegulatoryFees } from '../account/fees.ts'
import type { Money, Price, Quantity } from '../amount.ts'
import type { AccountId, ActionId, AssetId, ExecutionId, OrderId, Ticker } from '../ids.ts'
import type { Posting } from '../ledger/posting.ts'
import type { LastTrade, Quote } from '../market/prices.ts'
import type { CivilDate, Instant } from '../time.ts'
import type { Order, Trigger } from './order.ts'

export type OrderEvent =
  | OrderAccepted
  | OrderReleased
  | OrderWorked
  | OrderActivated
  | OrderArmed
  | OrderTrailed
  | OrderElected
  | OrderResized
  | OrderReplaced
  | OrderRestated
  | OrderFilled
  | OrderCanceled
  | OrderExpired

type OrderEventBase = { readonly at: Instant; readonly accountId: AccountId; readonly orderId: OrderId }

/** The order as placed, and the values it was decided with. */
export type OrderAccepted = {
  readonly kind: 'orderAccepted'
  readonly at: Instant
  readonly accountId: AccountId
  readonly order: Order
  readonly decidedWith: DecidedWith
}

/** The inputs of a decision; empty for a leg. */
export type DecidedWith = {
  readonly session?: TradingPhase
  /** The estimated price of a share, and the market data used for it. */
  readonly reference?: Price
  readonly quote?: Quote
  readonly traded?: Price
  /** For an opening order: its cost, the buying power, and the margin multiplier. */
  readonly cost?: Money
  readonly buyingPower?: Money
  readonly multiplier?: 1 | 2 | 4
  /** For a closing order: the position, signed, and the shares available. */
  readonly position?: Quantity
  readonly available?: Quantity
}

/** The trading phase at the decision; `always` for assets without trading hours. */
export type TradingPhase = 'always' | 'regular' | 'extended' | 'closed'

/** A queued order leaves for the market at the start of its session. */
export type OrderReleased = OrderEventBase & { readonly kind: 'orderReleased'; readonly due: Instant }

/** The market has accepted the order. */
export type OrderWorked = OrderEventBase & { readonly kind: 'orderWorked' }

export type OrderFilled = OrderEventBase & {
  readonly kind: 'orderFilled'
  readonly executionId: ExecutionId
  readonly symbol: Ticker
  readonly price: Price
  readonly quantity: Quantity
  /** In whole cents: buys are rounded up, sells down. */
  readonly cash: Money
  readonly settles: CivilDate
  readonly positionAfter: Quantity
  readonly quote: Quote
  readonly posting: Posting
  /** Regulatory fees, booked at the end of the day. */
  readonly fees?: RegulatoryFees
  /** Crypto fee, included in the posting. */
  readonly coinFee?: CoinFee
  /** The remaining quantity of a notional order, estimated at this price; zero if complete. */
  readonly rest?: Quantity
  /** Set for a fill in an auction; the quote is then its print. */
  readonly auction?: 'open' | 'close'
}

/** A take-profit starts working when its parent is filled. */
export type OrderActivated = OrderEventBase & { readonly kind: 'orderActivated' }

/** A stop-loss starts waiting for its trigger when its parent is filled; its status stays held. */
export type OrderArmed = OrderEventBase & { readonly kind: 'orderArmed' }

/** A trailing stop follows the best price. */
export type OrderTrailed = OrderEventBase & {
  readonly kind: 'orderTrailed'
  readonly highWater: Price
  readonly stop: Price
}

/** A trade reached the stop; the order starts working. */
export type OrderElected = OrderEventBase & { readonly kind: 'orderElected'; readonly trade: LastTrade }

/** A leg changes its size after a partial fill of its sibling or parent. */
export type OrderResized = OrderEventBase & { readonly kind: 'orderResized'; readonly quantity: Quantity }

/** A corporate action changed the terms; absent fields stay unchanged. */
export type OrderRestated = OrderEventBase & {
  readonly kind: 'orderRestated'
  readonly actionId: ActionId
  readonly changes: {
    readonly symbol?: Ticker
    readonly assetId?: AssetId
    readonly quantity?: Quantity
    readonly limit?: Price
    readonly reserve?: Price
    readonly trigger?: Partial<Pick<Trigger, 'stop' | 'highWater' | 'trailPrice'>>
  }
}

/** Another order, accepted in the same decision, replaces it. */
export type OrderReplaced = OrderEventBase & { readonly kind: 'orderReplaced'; readonly by: OrderId }

/**
 * The reason: requested by the owner; GTC age limit; another member of the group ended; an immediate order
 * was not filled completely; a corporate action.
 */
export type OrderCanceled = OrderEventBase & {
  readonly kind: 'orderCanceled'
  readonly why: 'asked' | 'aged' | 'group' | 'unfilled' | 'action'
}
export type OrderExpired = OrderEventBase & { readonly kind: 'orderExpired' }
