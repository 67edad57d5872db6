import { add, NO_MONEY, NO_QUANTITY, type Quantity } from '../amount.ts'
import { found } from '../result.ts'
import type { Instant } from '../time.ts'
import type { OrderFilled } from './events.ts'
import type { Order, Trigger } from './order.ts'
import { statusAfter } from './transitions.ts'

/** The order after the market accepted it. Trades before that do not count for its trigger. */
export function acknowledgedRecord(order: Order, at: Instant): Order {
  const status = statusAfter(order.status, 'work')
  return { ...(order.trigger ? withTrigger(order, { armedAt: at }) : order), status, updatedAt: at }
}

export function withTrigger(order: Order, changed: Partial<Trigger>): Order {
  return { ...order, trigger: { ...found(order.trigger, `the trigger of ${order.id}`), ...changed } }
}

/** The order after a complete or partial fill. */
export function filledRecord(order: Order, event: OrderFilled, isWhole: boolean): Order {
  const { at, rest } = event
  const status = statusAfter(order.status, isWhole ? 'fillAll' : 'fillPart')
  const value = event.price * event.quantity
  // Most orders are filled at once; then no sum is needed.
  const filledQuantity =
    order.filledQuantity === NO_QUANTITY ? event.quantity : add(order.filledQuantity, event.quantity)
  const filledValue = order.filledValue === 0n ? value : order.filledValue + value
  const base = rest === undefined ? order : withNotionalFill(order, event, rest)
  return isWhole
    ? { ...base, status, filledQuantity, filledValue, updatedAt: at, filledAt: at }
    : { ...base, status, filledQuantity, filledValue, updatedAt: at }
}

/** The order after its cancellation. */
export const canceledRecord = (order: Order, at: Instant): Order => ({
  ...order,
  status: statusAfter(order.status, 'cancel'),
  updatedAt: at,
  canceledAt: at,
})

/** The quantity of a notional order: the bought quantity, plus the quantity that the rest buys at the last price. */
function withNotionalFill(order: Order, { quantity, cash }: OrderFilled, rest: Quantity): Order {
  return {
    ...order,
    quantity: (order.filledQuantity + quantity + rest) as Quantity,
    spent: add(order.spent ?? NO_MONEY, cash),
  }
}
