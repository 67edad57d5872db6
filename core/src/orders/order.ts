import { divide, type Money, NO_QUANTITY, type Price, type Quantity, subtract } from '../amount.ts'
import type { AccountId, AssetId, ClientOrderId, OrderId, Ticker } from '../ids.ts'
import type { Instant } from '../time.ts'
import type { OrderStatus } from './transitions.ts'

export type Side = 'buy' | 'sell'
export type OrderKind = 'market' | 'limit' | 'stop' | 'stopLimit' | 'trailingStop'
export type TimeInForce = 'day' | 'gtc' | 'opg' | 'cls' | 'ioc' | 'fok'
export type PositionIntent = 'buyToOpen' | 'buyToClose' | 'sellToOpen' | 'sellToClose'

/** The trade that an order waits for. A trailing stop has one of the two trails. */
export type Trigger = {
  readonly stop: Price
  readonly trailPrice?: Price
  /** In billionths of a percent. */
  readonly trailPercent?: bigint
  /** The best price since the order was armed: the highest for a sell, the lowest for a buy. */
  readonly highWater?: Price
  /** Only later trades count for the trigger; absent while the order waits for its parent. */
  readonly armedAt?: Instant
  /** The trigger was reached: the order works as a market order, or by its limit. */
  readonly electedAt?: Instant
}

/** Linked orders: an entry with its exits, or two exits of which one is enough. */
export type GroupClass = 'bracket' | 'oco' | 'oto'
export type Group = {
  readonly class: GroupClass
  readonly role: 'entry' | 'takeProfit' | 'stopLoss'
  /** The parent lists its legs; a leg names its parent. */
  readonly legIds?: readonly OrderId[]
  readonly parentId?: OrderId
}

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
  readonly trigger?: Trigger
  /**
   * An amount of dollars instead of a quantity; `quantity` is then an estimate, and at the end the quantity
   * bought.
   */
  readonly notional?: Money
  /** Dollars that a notional order has spent so far. */
  readonly spent?: Money
  readonly group?: Group
  readonly replaces?: OrderId
  readonly status: OrderStatus
  /** Reserved price per share; the remaining quantity times this is held. */
  readonly reserve: Price
  readonly filledQuantity: Quantity
  /** Sum of price times quantity over all fills, exact, in units of 10^-18. */
  readonly filledValue: bigint
  readonly createdAt: Instant
  readonly submittedAt: Instant
  readonly updatedAt: Instant
  readonly expiresAt: Instant
  /** Time of the next step towards the market; unused once the order works. */
  readonly dueAt: Instant
  readonly filledAt?: Instant
  readonly canceledAt?: Instant
  readonly expiredAt?: Instant
  readonly replacedAt?: Instant
  readonly replacedBy?: OrderId
}

export const remaining = ({ quantity, filledQuantity }: Order): Quantity =>
  filledQuantity === NO_QUANTITY ? quantity : subtract(quantity, filledQuantity)

export const averagePrice = (order: Order): Price | undefined =>
  order.filledQuantity === NO_QUANTITY
    ? undefined
    : (divide(order.filledValue, order.filledQuantity, 'nearest') as Price)

/** Whether the order adds to a position, long or short. */
export const opens = (intent: PositionIntent): boolean => intent === 'buyToOpen' || intent === 'sellToOpen'
