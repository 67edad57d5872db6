import type { Order } from './order.ts'

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
