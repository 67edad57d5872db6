import type { Price, Quantity } from '../amount.ts'
import type { AccountId, ClientOrderId, OrderId, Ticker } from '../ids.ts'
import type { OrderKind, Side, TimeInForce } from './order.ts'

export type OrderCommand = PlaceOrder | CancelOrder | ObserveQuote

export type PlaceOrder = {
  readonly kind: 'placeOrder'
  readonly accountId: AccountId
  /** Absent: the order's own id serves. */
  readonly clientOrderId?: ClientOrderId
  /** What the views knew under this client id, for orders that memory has let go. */
  readonly earlier?: OrderId
  readonly symbol: Ticker
  readonly side: Side
  readonly type: OrderKind
  readonly timeInForce: TimeInForce
  readonly extendedHours: boolean
  readonly quantity: Quantity
  readonly limit?: Price
}

export type CancelOrder = {
  readonly kind: 'cancelOrder'
  readonly accountId: AccountId
  readonly orderId: OrderId
}

/** The market has a quote that may reach someone. */
export type ObserveQuote = { readonly kind: 'observeQuote'; readonly symbol: Ticker }
