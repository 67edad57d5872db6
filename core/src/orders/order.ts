import {
  costInCents,
  divide,
  type Money,
  NO_MONEY,
  NO_QUANTITY,
  type Price,
  type Quantity,
  subtract,
} from '../amount.ts'
import type { AccountId, AssetId, ClientOrderId, OrderId, Ticker } from '../ids.ts'
import type { Instant } from '../time.ts'
import { isOpen, type OrderStatus } from './moves.ts'

export type Side = 'buy' | 'sell'
export type OrderKind = 'market' | 'limit'
export type TimeInForce = 'day' | 'gtc'
export type PositionIntent = 'buyToOpen' | 'sellToClose'

export type Order = {
  readonly id: OrderId
  readonly accountId: AccountId
  readonly clientOrderId: ClientOrderId
  readonly symbol: Ticker
  readonly assetId: AssetId
  readonly side: Side
  readonly kind: OrderKind
  readonly timeInForce: TimeInForce
  readonly extendedHours: boolean
  readonly intent: PositionIntent
  readonly quantity: Quantity
  readonly limit?: Price
  readonly status: OrderStatus
  /** The price a share was reserved at; what is left times this is held. */
  readonly reserve: Price
  readonly filledQuantity: Quantity
  /** Sum of price times quantity over its fills, exact, in billionths of billionths. */
  readonly filledValue: bigint
  readonly createdAt: Instant
  readonly submittedAt: Instant
  readonly updatedAt: Instant
  readonly expiresAt: Instant
  /** When it is to take its next step towards the market; meaningless once it works. */
  readonly dueAt: Instant
  readonly filledAt?: Instant
  readonly canceledAt?: Instant
  readonly expiredAt?: Instant
}

export const remaining = (order: Order): Quantity => subtract(order.quantity, order.filledQuantity)

export const averagePrice = (order: Order): Price | undefined =>
  order.filledQuantity === NO_QUANTITY
    ? undefined
    : (divide(order.filledValue, order.filledQuantity, 'nearest') as Price)

/** What an open order keeps its account from spending: money for a buy, shares for a sell. */
export const heldMoney = (order: Order): Money =>
  order.side === 'buy' && isOpen(order) ? costInCents(order.reserve, remaining(order), 'up') : NO_MONEY
export const heldShares = (order: Order): Quantity =>
  order.side === 'sell' && isOpen(order) ? remaining(order) : NO_QUANTITY
