import { type OrderPrice, pricesOfType } from '@quipu/contract/order-types.ts'
import type { WireOrder as Order } from '@quipu/sdk'
import { priceText, quantityText } from './amounts.ts'

/** The word and the shape of a status. */
export type StatusText = {
  readonly word: string
  readonly shape: 'working' | 'filled' | 'held' | 'ended' | 'refused' | 'waiting'
}

const statuses: Readonly<Record<string, StatusText>> = {
  new: { word: 'Working', shape: 'working' },
  accepted: { word: 'Accepted', shape: 'waiting' },
  pending_new: { word: 'Accepted', shape: 'waiting' },
  accepted_for_bidding: { word: 'Accepted', shape: 'waiting' },
  filled: { word: 'Filled', shape: 'filled' },
  held: { word: 'Held', shape: 'held' },
  canceled: { word: 'Canceled', shape: 'ended' },
  pending_cancel: { word: 'Canceling', shape: 'working' },
  pending_replace: { word: 'Replacing', shape: 'working' },
  expired: { word: 'Expired', shape: 'ended' },
  replaced: { word: 'Replaced', shape: 'ended' },
  done_for_day: { word: 'Done for today', shape: 'waiting' },
  stopped: { word: 'Stopped', shape: 'waiting' },
  suspended: { word: 'Suspended', shape: 'held' },
  rejected: { word: 'Rejected', shape: 'refused' },
}

export function statusOf(order: Pick<Order, 'status' | 'filled_qty' | 'qty'>): StatusText {
  const { status, filled_qty: filled, qty } = order
  if (status === 'partially_filled')
    return {
      word: `Filled ${quantityText(filled)} of ${qty == null ? 'all' : quantityText(qty)}`,
      shape: 'working',
    }
  return statuses[status] ?? { word: status, shape: 'waiting' }
}

/** `limit 126.98`, `stop 320.91`, `2.5 % trail`, `market` */
export function priceOf(
  order: Pick<Order, 'type' | 'limit_price' | 'stop_price' | 'trail_percent' | 'trail_price'>,
): string {
  const { limit_price: limit, stop_price: stop, trail_percent: percent, trail_price: trail } = order
  const texts: Readonly<Record<OrderPrice, string | null>> = {
    limit_price: limit && `limit ${priceText(limit)}`,
    stop_price: stop && `stop ${priceText(stop)}`,
    trail: percent == null ? `${priceText(trail ?? '0')} trail` : `${quantityText(percent)} % trail`,
  }
  const prices = pricesOfType(order.type).flatMap((price) => texts[price] ?? [])
  return prices.length > 0 ? prices.join(' ') : 'market'
}

/** Whether the stop of an order follows the market. */
export const isTrailing = ({ type }: Pick<Order, 'type'>): boolean => pricesOfType(type).includes('trail')

/** `30 AAPL`, or `$500 of AAPL` for an amount of money. */
export const sizeOf = ({ qty, notional, symbol }: Pick<Order, 'qty' | 'notional' | 'symbol'>): string =>
  qty == null ? `$${quantityText(notional ?? '0')} of ${symbol}` : `${quantityText(qty)} ${symbol}`

/** `Buy 30 AAPL at 308.90 or better` */
export function titleOf(order: Order): string {
  const verb = order.side === 'buy' ? 'Buy' : 'Sell'
  const price = priceOf(order)
  const isLimit = order.limit_price != null && order.stop_price == null
  const rest = isLimit
    ? ` at ${priceText(order.limit_price!)} or better`
    : price === 'market'
      ? ''
      : `, ${price}`
  return `${verb} ${sizeOf(order)}${rest}`
}
