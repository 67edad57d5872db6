import { divide, type Money, NO_QUANTITY, type Price, type Quantity, subtract, toPrice } from '../amount.ts'
import type { AccountId, AssetId, ClientOrderId, OrderId, Ticker } from '../ids.ts'
import {
  amount,
  boolean,
  id,
  instant,
  integer,
  list,
  oneOf,
  optional,
  record,
  type ValueOf,
} from '../schema.ts'
import type { Instant } from '../time.ts'
import { GROUP_CLASSES, orderKindNames, TIMES_IN_FORCE } from './kinds.ts'
import { orderStatusSchema } from './transitions.ts'

const sideSchema = oneOf('buy', 'sell')
export type Side = ValueOf<typeof sideSchema>
export const SIDES: readonly Side[] = ['buy', 'sell']
const intentSchema = oneOf('buyToOpen', 'buyToClose', 'sellToOpen', 'sellToClose')
export type PositionIntent = ValueOf<typeof intentSchema>

/** The trade that an order waits for. A trailing stop has one of the two trails. */
const triggerSchema = record({
  stop: amount<Price>(),
  trailPrice: optional(amount<Price>()),
  /** In billionths of a percent. */
  trailPercent: optional(amount()),
  /** The best price since the order was armed: the highest for a sell, the lowest for a buy. */
  highWater: optional(amount<Price>()),
  /** Only later trades count for the trigger; absent while the order waits for its parent. */
  armedAt: optional(instant<Instant>()),
  /** The trigger was reached: the order works as a market order, or by its limit. */
  electedAt: optional(instant<Instant>()),
})
export type Trigger = ValueOf<typeof triggerSchema>

/** Linked orders: an entry with its exits, or two exits of which one is enough. */
const groupSchema = record({
  class: oneOf(...GROUP_CLASSES),
  role: oneOf('entry', 'takeProfit', 'stopLoss'),
  /** The parent lists its legs; a leg names its parent. */
  legIds: optional(list(id<OrderId>())),
  parentId: optional(id<OrderId>()),
})
export type OrderGroup = ValueOf<typeof groupSchema>

/** State of an order at a market with venue settings. */
const atVenueSchema = record({
  /** The market decides on a requested cancel at this time. */
  confirmAt: optional(instant<Instant>()),
  /** The cancel was requested before the market acknowledged the order. */
  unacknowledged: optional(oneOf(true)),
  /** The order that is to replace this one: its id, its reserve, and its quantity plus the quantity filled before. */
  replacedBy: optional(id<OrderId>()),
  reserve: optional(amount<Price>()),
  total: optional(amount<Quantity>()),
  /** This order is to replace another one, and holds nothing until then. */
  awaits: optional(oneOf(true)),
  /** The market stops working the order at `doneAt` and works it again at `resumesAt`. */
  doneAt: optional(instant<Instant>()),
  resumesAt: optional(instant<Instant>()),
  /** The order fills in so many more pieces, and the next one not before this time. */
  piecesLeft: optional(integer()),
  restsUntil: optional(instant<Instant>()),
})
export type AtVenue = ValueOf<typeof atVenueSchema>

export const orderSchema = record({
  id: id<OrderId>(),
  accountId: id<AccountId>(),
  clientOrderId: id<ClientOrderId>(),
  symbol: id<Ticker>(),
  assetId: id<AssetId>(),
  side: sideSchema,
  kind: oneOf(...orderKindNames),
  timeInForce: oneOf(...TIMES_IN_FORCE),
  extendedHours: boolean(),
  intent: intentSchema,
  quantity: amount<Quantity>(),
  limit: optional(amount<Price>()),
  trigger: optional(triggerSchema),
  /**
   * An amount of dollars instead of a quantity; `quantity` is then an estimate, and at the end the quantity
   * bought.
   */
  notional: optional(amount<Money>()),
  group: optional(groupSchema),
  replaces: optional(id<OrderId>()),
  status: orderStatusSchema,
  /** Reserved price per share; the remaining quantity times this is held. */
  reserve: amount<Price>(),
  filledQuantity: amount<Quantity>(),
  /** Sum of price times quantity over all fills, exact, in units of 10^-18. */
  filledValue: amount(),
  createdAt: instant<Instant>(),
  submittedAt: instant<Instant>(),
  updatedAt: instant<Instant>(),
  expiresAt: instant<Instant>(),
  /** Time of the next step towards the market; unused once the order works. */
  dueAt: instant<Instant>(),
  /** Dollars that a notional order has spent so far. */
  spent: optional(amount<Money>()),
  filledAt: optional(instant<Instant>()),
  canceledAt: optional(instant<Instant>()),
  expiredAt: optional(instant<Instant>()),
  replacedAt: optional(instant<Instant>()),
  replacedBy: optional(id<OrderId>()),
  /** The market rejected the order. */
  failedAt: optional(instant<Instant>()),
  /** Absent in a world without venue settings. */
  venue: optional(atVenueSchema),
  /** The broker placed the order, because a margin call was not met. */
  source: optional(oneOf('liquidation')),
})
export type Order = ValueOf<typeof orderSchema>

export const remaining = ({ quantity, filledQuantity }: Order): Quantity =>
  filledQuantity === NO_QUANTITY ? quantity : subtract(quantity, filledQuantity)

export const averagePrice = (order: Order): Price | undefined =>
  order.filledQuantity === NO_QUANTITY
    ? undefined
    : toPrice(divide(order.filledValue, order.filledQuantity, 'nearest'))

/** Whether the order adds to a position, long or short. */
export const opens = (intent: PositionIntent): boolean => intent === 'buyToOpen' || intent === 'sellToOpen'
