import { divide, type Money, NO_QUANTITY, type Price, type Quantity, subtract } from '../amount.ts'
import type { AccountId, AssetId, ClientOrderId, OrderId, Ticker } from '../ids.ts'
import type { Instant } from '../time.ts'
import type { OrderStatus } from './transitions.ts'

export type Side = 'buy' | 'sell'
export type OrderKind = 'market' | 'limit' | 'stop' | 'stopLimit' | 'trailingStop'
export type TimeInForce = 'day' | 'gtc' | 'opg' | 'cls' | 'ioc' | 'fok'
export type PositionIntent = 'buyToOpen' | 'buyToClose' | 'sellToOpen' | 'sellToClose'

/** What must be traded before an order works. A trailing one has one of the two trails. */
export type Trigger = {
  readonly stop: Price
  readonly trailPrice?: Price
  /** In billionths of a percent. */
  readonly trailPercent?: bigint
  /** The best price traded since it was armed: the highest for a sell, the lowest for a buy. */
  readonly highWater?: Price
  /** Trades count from here on; absent while it waits for its parent. */
  readonly armedAt?: Instant
  /** Its trade has come: from here on it works as a market order, or by its limit. */
  readonly electedAt?: Instant
}

/** Orders that belong together: an entry with its exits, or two exits of which one is enough. */
export type GroupClass = 'bracket' | 'oco' | 'oto'
export type Group = {
  readonly class: GroupClass
  readonly role: 'entry' | 'takeProfit' | 'stopLoss'
  /** The parent names its legs, a leg its parent. */
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
  /** Dollars instead of shares; `quantity` is then what they are reckoned to buy, and at the end what they bought. */
  readonly notional?: Money
  /** What an order in dollars has moved of them so far. */
  readonly spent?: Money
  readonly group?: Group
  readonly replaces?: OrderId
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
  readonly replacedAt?: Instant
  readonly replacedBy?: OrderId
}

export const remaining = ({ quantity, filledQuantity }: Order): Quantity =>
  filledQuantity === NO_QUANTITY ? quantity : subtract(quantity, filledQuantity)

export const averagePrice = (order: Order): Price | undefined =>
  order.filledQuantity === NO_QUANTITY
    ? undefined
    : (divide(order.filledValue, order.filledQuantity, 'nearest') as Price)

/** Whether it adds to a position, long or short; otherwise it takes away from one. */
export const opens = (intent: PositionIntent): boolean => intent === 'buyToOpen' || intent === 'sellToOpen'
