import type { OrderRecord } from '@quipu/contract'
import {
  averagePrice,
  format,
  formatInstant,
  type Instant,
  type Order,
  type OrderStatus,
  type PositionIntent,
} from '@quipu/core'

const statuses = {
  accepted: 'accepted',
  pendingNew: 'pending_new',
  new: 'new',
  partiallyFilled: 'partially_filled',
  filled: 'filled',
  canceled: 'canceled',
  expired: 'expired',
} as const satisfies Record<OrderStatus, OrderRecord['status']>

const intents = {
  buyToOpen: 'buy_to_open',
  sellToClose: 'sell_to_close',
} as const satisfies Record<PositionIntent, OrderRecord['position_intent']>

const orNull = (amount: bigint | undefined): string | null => (amount === undefined ? null : format(amount))
const whenOrNull = (at: Instant | undefined): string | null => (at === undefined ? null : formatInstant(at))

/** An order as answers and trade updates carry it: every key there, what does not apply null. */
export function orderToWire(order: Order): OrderRecord {
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
    failed_at: null,
    replaced_at: null,
    replaced_by: null,
    replaces: null,
    asset_id: order.assetId,
    symbol: order.symbol,
    asset_class: 'us_equity',
    notional: null,
    qty: format(order.quantity),
    filled_qty: format(order.filledQuantity),
    filled_avg_price: orNull(averagePrice(order)),
    order_class: '',
    order_type: order.kind,
    type: order.kind,
    side: order.side,
    position_intent: intents[order.intent],
    time_in_force: order.timeInForce,
    limit_price: orNull(order.limit),
    stop_price: null,
    trail_percent: null,
    trail_price: null,
    hwm: null,
    ratio_qty: null,
    status: statuses[order.status],
    extended_hours: order.extendedHours,
    subtag: null,
    source: null,
    legs: null,
  }
}
