import type { Money, Price, Quantity } from '../amount.ts'
import type { AccountId, ExecutionId, OrderId, Ticker } from '../ids.ts'
import type { Posting } from '../ledger/posting.ts'
import type { Quote } from '../market/prices.ts'
import type { CivilDate, Instant } from '../time.ts'
import type { Order } from './order.ts'

export type OrderEvent =
  | OrderAccepted
  | OrderReleased
  | OrderWorked
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
  readonly decidedWith: {
    readonly reference?: Price
    readonly cost?: Money
    readonly buyingPower?: Money
    readonly available?: Quantity
  }
}

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
}

export type OrderCanceled = OfOrder & { readonly kind: 'orderCanceled'; readonly why: 'asked' | 'aged' }
export type OrderExpired = OfOrder & { readonly kind: 'orderExpired' }
