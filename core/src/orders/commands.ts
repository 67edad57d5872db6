import type { Money, Price, Quantity } from '../amount.ts'
import type { AccountId, ClientOrderId, OrderId, Ticker } from '../ids.ts'
import type { LastTrade } from '../market/prices.ts'
import type { Instant } from '../time.ts'
import type { GroupClass, OrderKind, PositionIntent, Side, TimeInForce } from './order.ts'

export type OrderCommand = PlaceOrder | ReplaceOrder | CancelOrder | ObserveQuote | ObserveTrade | HoldAuction

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
  /** Nothing where `notional` is given. */
  readonly quantity: Quantity
  readonly notional?: Money
  readonly limit?: Price
  readonly stop?: Price
  readonly trailPrice?: Price
  /** In billionths of a percent. */
  readonly trailPercent?: bigint
  /** What the caller says it does; refused where that is not so. */
  readonly intent?: PositionIntent
  readonly class?: GroupClass
  readonly takeProfit?: { readonly limit: Price }
  readonly stopLoss?: { readonly stop: Price; readonly limit?: Price }
}

/** Another order in the place of an open one, with whatever is not named as it was. */
export type ReplaceOrder = {
  readonly kind: 'replaceOrder'
  readonly accountId: AccountId
  readonly orderId: OrderId
  /** Of the new order. */
  readonly clientOrderId?: ClientOrderId
  readonly earlier?: OrderId
  readonly quantity?: Quantity
  readonly limit?: Price
  readonly stop?: Price
  /** Another price or percentage, whichever it trails by. */
  readonly trail?: bigint
  readonly timeInForce?: TimeInForce
}

export type CancelOrder = {
  readonly kind: 'cancelOrder'
  readonly accountId: AccountId
  readonly orderId: OrderId
}

/** The market has a quote that may reach someone. */
export type ObserveQuote = { readonly kind: 'observeQuote'; readonly symbol: Ticker }

/** The market has a trade that someone may wait for: this one, or whichever was the last. */
export type ObserveTrade = {
  readonly kind: 'observeTrade'
  readonly symbol: Ticker
  readonly trade?: LastTrade
}

/** An auction was held: at `due` by the calendar, with this official print. */
export type HoldAuction = {
  readonly kind: 'holdAuction'
  readonly symbol: Ticker
  readonly due: Instant
  readonly print: LastTrade
}
