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

type OfOrder = { readonly at: Instant; readonly accountId: AccountId; readonly orderId: OrderId }

/** The order as placed, with the numbers it was decided with. */
export type OrderAccepted = {
  readonly kind: 'orderAccepted'
  readonly at: Instant
  readonly accountId: AccountId
  readonly order: Order
  readonly decidedWith: DecidedWith
}

/** What a decision looked at; a leg has none of its own. */
export type DecidedWith = {
  readonly session?: TradingPhase
  /** What a share was reckoned at, and what of the market was looked at for that. */
  readonly reference?: Price
  readonly quote?: Quote
  readonly traded?: Price
  /** Where money is taken: what it takes, what there was, and what margin made of it. */
  readonly cost?: Money
  readonly buyingPower?: Money
  readonly multiplier?: 1 | 2 | 4
  /** Where shares are: the position, signed, and what of it was free. */
  readonly position?: Quantity
  readonly available?: Quantity
}

/** The hours a decision falls into; what trades at any time is decided in `always`. */
export type TradingPhase = 'always' | 'regular' | 'extended' | 'closed'

/** A queued order leaves for the market as its session begins. */
export type OrderReleased = OfOrder & { readonly kind: 'orderReleased'; readonly due: Instant }

/** The market has it. */
export type OrderWorked = OfOrder & { readonly kind: 'orderWorked' }

export type OrderFilled = OfOrder & {
  readonly kind: 'orderFilled'
  readonly executionId: ExecutionId
  readonly symbol: Ticker
  readonly price: Price
  readonly quantity: Quantity
  /** Whole cents moved: buys up, sells down. */
  readonly cash: Money
  readonly settles: CivilDate
  /** Shares held once this fill is booked. */
  readonly positionAfter: Quantity
  readonly quote: Quote
  readonly posting: Posting
  /** What regulators take of it, booked with the rest of the day. */
  readonly fees?: RegulatoryFees
  /** What is kept of a trade in coins, among the legs. */
  readonly coinFee?: CoinFee
  /** What an order in dollars is still to take, reckoned at this price; nothing when it is done. */
  readonly rest?: Quantity
  /** In which auction; the quote is then its print. */
  readonly auction?: 'open' | 'close'
}

/** A take-profit whose parent is filled works from here on. */
export type OrderActivated = OfOrder & { readonly kind: 'orderActivated' }

/** A stop-loss whose parent is filled waits for its trade from here on, and stays held. */
export type OrderArmed = OfOrder & { readonly kind: 'orderArmed' }

/** A trailing stop follows the best price. */
export type OrderTrailed = OfOrder & {
  readonly kind: 'orderTrailed'
  readonly highWater: Price
  readonly stop: Price
}

/** A trade reached its stop: it works from here on. */
export type OrderElected = OfOrder & { readonly kind: 'orderElected'; readonly trade: LastTrade }

/** A leg is of another size, because its sibling, or its parent, was filled in part. */
export type OrderResized = OfOrder & { readonly kind: 'orderResized'; readonly quantity: Quantity }

/** A corporate action made other terms of it; what is absent stays as it was. */
export type OrderRestated = OfOrder & {
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

/** Another order, accepted in the same decision, stands in its place. */
export type OrderReplaced = OfOrder & { readonly kind: 'orderReplaced'; readonly by: OrderId }

/**
 * Why: its owner asked; its time good till canceled is over; a group member ended or was canceled; an immediate order
 * found nothing more; a corporate action.
 */
export type OrderCanceled = OfOrder & {
  readonly kind: 'orderCanceled'
  readonly why: 'asked' | 'aged' | 'group' | 'unfilled' | 'action'
}
export type OrderExpired = OfOrder & { readonly kind: 'orderExpired' }
