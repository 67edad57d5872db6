import type { Money, Price, Quantity } from '../amount.ts'
import type { AccountId, ClientOrderId, OrderId, Ticker } from '../ids.ts'
import type { ByKind, OfKind } from '../kinds.ts'
import type { LastTrade } from '../market/prices.ts'
import type { Instant } from '../time.ts'
import type { GroupClass, OrderKind, TimeInForce } from './kinds.ts'
import type { PositionIntent, Side } from './order.ts'

export type OrderCommand = ByKind<{
  placeOrder: {
    readonly accountId: AccountId
    /** Default: the order's own id. */
    readonly clientOrderId?: ClientOrderId
    /** The order that the query tables found under this client id, if memory has dropped it. */
    readonly earlier?: OrderId
    readonly symbol: Ticker
    readonly side: Side
    readonly type: OrderKind
    readonly timeInForce: TimeInForce
    readonly extendedHours: boolean
    /** Zero if `notional` is set. */
    readonly quantity: Quantity
    readonly notional?: Money
    readonly limit?: Price
    readonly stop?: Price
    readonly trailPrice?: Price
    /** In billionths of a percent. */
    readonly trailPercent?: bigint
    /** The caller's expected intent; a different one is refused. */
    readonly intent?: PositionIntent
    readonly class?: GroupClass
    readonly takeProfit?: { readonly limit: Price }
    readonly stopLoss?: { readonly stop: Price; readonly limit?: Price }
    /** Set by the broker; restrictions of the account do not apply. */
    readonly source?: 'liquidation'
  }
  /** Replaces an open order; fields that are not named stay unchanged. */
  replaceOrder: {
    readonly accountId: AccountId
    readonly orderId: OrderId
    /** For the new order. */
    readonly clientOrderId?: ClientOrderId
    readonly earlier?: OrderId
    readonly quantity?: Quantity
    readonly limit?: Price
    readonly stop?: Price
    /** The new trail price or percentage, whichever the order uses. */
    readonly trail?: bigint
    readonly timeInForce?: TimeInForce
  }
  cancelOrder: { readonly accountId: AccountId; readonly orderId: OrderId }
  /** The market has a quote that may reach an order. */
  observeQuote: { readonly symbol: Ticker }
  /** The market has a trade that a stop may wait for: this one, or by default the last. */
  observeTrade: { readonly symbol: Ticker; readonly trade?: LastTrade }
  /** An auction took place at `due`, with this official print. */
  holdAuction: { readonly symbol: Ticker; readonly due: Instant; readonly print: LastTrade }
}>
export type PlaceOrder = OfKind<OrderCommand, 'placeOrder'>
export type ReplaceOrder = OfKind<OrderCommand, 'replaceOrder'>
