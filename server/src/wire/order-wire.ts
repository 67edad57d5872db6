import type { OrderRecord } from '@quipu/contract'
import { averagePrice, format, formatInstant, type Instant, isPair, type Order } from '@quipu/core'
import { intents, statuses, types } from './order-words.ts'

const orNull = (amount: bigint | undefined): string | null => (amount === undefined ? null : format(amount))
const whenOrNull = (at: Instant | undefined): string | null => (at === undefined ? null : formatInstant(at))

/** An order in responses and trade updates: every key is set, null where it does not apply. */
export function orderToWire(order: Order, legs?: readonly Order[]): OrderRecord {
  return {
    id: order.id,
    client_order_id: order.clientOrderId,
    created_at: formatInstant(order.createdAt),
    updated_at: formatInstant(order.updatedAt),
    submitted_at: formatInstant(order.submittedAt),
    filled_at: whenOrNull(order.filledAt),
    expired_at: whenOrNull(order.expiredAt),
    expires_at: formatInstant(order.expiresAt),
    canceled_at: whenOrNull(order.canceledAt),
    failed_at: whenOrNull(order.failedAt),
    replaced_at: whenOrNull(order.replacedAt),
    replaced_by: order.replacedBy ?? null,
    replaces: order.replaces ?? null,
    asset_id: order.assetId,
    symbol: order.symbol,
    asset_class: isPair(order.symbol) ? 'crypto' : 'us_equity',
    notional: orNull(order.notional),
    qty: order.notional === undefined ? format(order.quantity) : null,
    filled_qty: format(order.filledQuantity),
    filled_avg_price: orNull(averagePrice(order)),
    order_class: order.group?.class ?? '',
    order_type: types[order.kind],
    type: types[order.kind],
    side: order.side,
    position_intent: intents[order.intent],
    time_in_force: order.timeInForce,
    limit_price: orNull(order.limit),
    stop_price: orNull(order.trigger?.stop),
    trail_percent: orNull(order.trigger?.trailPercent),
    trail_price: orNull(order.trigger?.trailPrice),
    hwm: orNull(order.trigger?.highWater),
    ratio_qty: null,
    status: statuses[order.status],
    extended_hours: order.extendedHours,
    subtag: null,
    source: order.source ?? null,
    legs: legs?.length ? legs.map((leg) => orderToWire(leg)) : null,
  }
}
