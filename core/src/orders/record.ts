import { add, NO_MONEY, NO_QUANTITY, type Price, type Quantity } from '../amount.ts'
import { found } from '../result.ts'
import type { Instant } from '../time.ts'
import type { OrderFilled } from './events.ts'
import type { Order, Trigger } from './order.ts'
import { statusAfter } from './transitions.ts'

/** An order's record as it begins, its fields in the order that all records have: so its text is always the same. */
export function recordOf(order: Order): Order {
  const { limit, trigger, notional, group, replaces } = order
  return {
    id: order.id,
    accountId: order.accountId,
    clientOrderId: order.clientOrderId,
    symbol: order.symbol,
    assetId: order.assetId,
    side: order.side,
    kind: order.kind,
    timeInForce: order.timeInForce,
    extendedHours: order.extendedHours,
    intent: order.intent,
    quantity: order.quantity,
    ...(limit === undefined ? undefined : { limit }),
    ...(trigger === undefined ? undefined : { trigger }),
    ...(notional === undefined ? undefined : { notional }),
    ...(group === undefined ? undefined : { group }),
    ...(replaces === undefined ? undefined : { replaces }),
    status: order.status,
    reserve: order.reserve,
    filledQuantity: order.filledQuantity,
    filledValue: order.filledValue,
    createdAt: order.createdAt,
    submittedAt: order.submittedAt,
    updatedAt: order.updatedAt,
    expiresAt: order.expiresAt,
    dueAt: order.dueAt,
  }
}

/** An order's record once the market has it: whatever was traded while it was on its way does not count. */
export function workedRecord(order: Order, at: Instant): Order {
  const status = statusAfter(order.status, 'work')
  return { ...(order.trigger ? withTrigger(order, { armedAt: at }) : order), status, updatedAt: at }
}

export function withTrigger(order: Order, changed: Partial<Trigger>): Order {
  return { ...order, trigger: { ...found(order.trigger, `the trigger of ${order.id}`), ...changed } }
}

/** An order's record once a fill has been added to it; of the whole of it or of a part. */
export function filledRecord(order: Order, event: OrderFilled, whole: boolean): Order {
  const { at, rest } = event
  const status = statusAfter(order.status, whole ? 'fillAll' : 'fillPart')
  const value = event.price * event.quantity
  // Most are filled at once, and what is not added need not be made anew.
  const filledQuantity =
    order.filledQuantity === NO_QUANTITY ? event.quantity : add(order.filledQuantity, event.quantity)
  const filledValue = order.filledValue === 0n ? value : order.filledValue + value
  if (whole && order.limit !== undefined && isSimple(order))
    return simpleLimitFilled(order, order.limit, { status, filledQuantity, filledValue, at })
  const sum = rest === undefined ? order : inDollars(order, event, rest)
  return whole
    ? { ...sum, status, filledQuantity, filledValue, updatedAt: at, filledAt: at }
    : { ...sum, status, filledQuantity, filledValue, updatedAt: at }
}

type Filled = Pick<Order, 'status' | 'filledQuantity' | 'filledValue'> & { readonly at: Instant }

/** Of those that a quote meets most. In one piece: a copy that is added to takes twice as long to make. */
function simpleLimitFilled(
  order: Order,
  limit: Price,
  { status, filledQuantity, filledValue, at }: Filled,
): Order {
  return {
    id: order.id,
    accountId: order.accountId,
    clientOrderId: order.clientOrderId,
    symbol: order.symbol,
    assetId: order.assetId,
    side: order.side,
    kind: order.kind,
    timeInForce: order.timeInForce,
    extendedHours: order.extendedHours,
    intent: order.intent,
    quantity: order.quantity,
    limit,
    status,
    reserve: order.reserve,
    filledQuantity,
    filledValue,
    createdAt: order.createdAt,
    submittedAt: order.submittedAt,
    updatedAt: at,
    expiresAt: order.expiresAt,
    dueAt: order.dueAt,
    filledAt: at,
  }
}

/** An order's record once it is canceled; of nearly all of them in one piece, for the same reason. */
export function canceledRecord(order: Order, at: Instant): Order {
  const status = statusAfter(order.status, 'cancel')
  const { limit } = order
  if (limit === undefined || !isSimple(order)) return { ...order, status, updatedAt: at, canceledAt: at }
  return {
    id: order.id,
    accountId: order.accountId,
    clientOrderId: order.clientOrderId,
    symbol: order.symbol,
    assetId: order.assetId,
    side: order.side,
    kind: order.kind,
    timeInForce: order.timeInForce,
    extendedHours: order.extendedHours,
    intent: order.intent,
    quantity: order.quantity,
    limit,
    status,
    reserve: order.reserve,
    filledQuantity: order.filledQuantity,
    filledValue: order.filledValue,
    createdAt: order.createdAt,
    submittedAt: order.submittedAt,
    updatedAt: at,
    expiresAt: order.expiresAt,
    dueAt: order.dueAt,
    canceledAt: at,
  }
}

/** Without any of the parts that few orders have. */
export const isSimple = ({ trigger, group, notional, replaces, replacedAt }: Order): boolean =>
  trigger === undefined &&
  group === undefined &&
  notional === undefined &&
  replaces === undefined &&
  replacedAt === undefined

/** An order in dollars is as large as what they bought and, at the last price, still buy. */
function inDollars(order: Order, { quantity, cash }: OrderFilled, rest: Quantity): Order {
  return {
    ...order,
    quantity: (order.filledQuantity + quantity + rest) as Quantity,
    spent: add(order.spent ?? NO_MONEY, cash),
  }
}
