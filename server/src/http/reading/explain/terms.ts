import type { Order, PlaceOrder, ReplaceOrder } from '@quipu/core'
import { definedFields } from '@quipu/core/values'
import { orderTypeWords } from '../../../wire/order-words.ts'
import type { Numbers } from './step.ts'

type Terms = Pick<
  PlaceOrder,
  | 'symbol'
  | 'side'
  | 'type'
  | 'timeInForce'
  | 'quantity'
  | 'notional'
  | 'limit'
  | 'stop'
  | 'trailPrice'
  | 'trailPercent'
  | 'class'
>

export const termsOf = (order: Order): Terms => ({
  symbol: order.symbol,
  side: order.side,
  type: order.kind,
  timeInForce: order.timeInForce,
  quantity: order.quantity,
  ...definedFields({ notional: order.notional, limit: order.limit, class: order.group?.class }),
  ...triggerOf(order),
})

function triggerOf({ trigger }: Order): Pick<Terms, 'stop' | 'trailPrice' | 'trailPercent'> {
  if (!trigger) return {}
  const { stop, trailPrice, trailPercent } = trigger
  if (trailPrice !== undefined) return { trailPrice }
  return trailPercent === undefined ? { stop } : { trailPercent }
}

export const termsNumbers = (terms: Terms): Numbers => ({
  symbol: terms.symbol,
  side: terms.side,
  type: orderTypeWords[terms.type],
  time_in_force: terms.timeInForce,
  order_class: terms.class,
  qty: terms.notional === undefined ? terms.quantity : undefined,
  notional: terms.notional,
  limit_price: terms.limit,
  stop_price: terms.stop,
  trail_price: terms.trailPrice,
  trail_percent: terms.trailPercent,
})

export const replaceNumbers = ({ orderId, quantity, limit, stop, trail }: ReplaceOrder): Numbers => ({
  order_id: orderId,
  qty: quantity,
  limit_price: limit,
  stop_price: stop,
  trail,
})
