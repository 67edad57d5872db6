import { definedFields, format, type Order, type PlaceOrder, type ReplaceOrder } from '@quipu/core'
import { types } from '../../../wire/order-words.ts'
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

const times = {
  day: 'good for the day',
  gtc: 'good till canceled',
  opg: 'for the opening auction',
  cls: 'for the closing auction',
  ioc: 'immediate or cancel',
  fok: 'fill or kill',
} as const satisfies Record<Terms['timeInForce'], string>

/** An order in a few words: `buy 3 AAPL at 187.5 or better, good for the day`. */
export function termsText(terms: Terms): string {
  const { symbol, side, quantity, notional, class: group, timeInForce } = terms
  const size =
    notional === undefined ? `${format(quantity)} ${symbol}` : `${symbol} for ${format(notional)} USD`
  return `${side} ${size} ${priceText(terms)}, ${times[timeInForce]}${group ? `, ${group}` : ''}`
}

function priceText({ type, limit, stop, trailPrice, trailPercent }: Terms): string {
  const best = limit === undefined ? 'at the market' : `at ${format(limit)} or better`
  if (type === 'trailingStop')
    return `${best} once the market turns by ${trailPrice === undefined ? `${format(trailPercent!)} %` : format(trailPrice)}`
  return stop === undefined ? best : `${best} once ${format(stop)} is traded`
}

export const termsNumbers = (terms: Terms): Numbers => ({
  symbol: terms.symbol,
  side: terms.side,
  type: types[terms.type],
  time_in_force: terms.timeInForce,
  order_class: terms.class,
  qty: terms.notional === undefined ? terms.quantity : undefined,
  notional: terms.notional,
  limit_price: terms.limit,
  stop_price: terms.stop,
  trail_price: terms.trailPrice,
  trail_percent: terms.trailPercent,
})

/** A replacement in a few words. */
export const replaceText = ({ orderId, quantity, limit, stop, trail }: ReplaceOrder): string => {
  const wanted = [
    quantity !== undefined && `quantity ${format(quantity)}`,
    limit !== undefined && `limit ${format(limit)}`,
    stop !== undefined && `stop ${format(stop)}`,
    trail !== undefined && `trail ${format(trail)}`,
  ].filter(Boolean)
  return `replace order ${orderId}${wanted.length > 0 ? ` with ${wanted.join(', ')}` : ''}`
}
