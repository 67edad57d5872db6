import type { Price } from '../amount.ts'
import type { AccountId, OrderId, Ticker } from '../ids.ts'
import type { View } from '../state.ts'
import type { OrderKind, Side } from './order.ts'
import { isExempt } from './own.ts'

export type WashRefusal = {
  readonly code: 'washTrade'
  readonly existingOrderId: OrderId
  readonly existing: 'limit' | 'any'
}

type Placing = {
  readonly accountId: AccountId
  readonly symbol: Ticker
  readonly side: Side
  readonly kind: OrderKind
  readonly limit?: Price
  readonly group?: unknown
}

/**
 * An order must not be able to trade with one of the same account:
 *
 *   existing        new: market, stop        new: limit, stop limit
 *   market, stop    refused                  refused
 *   (stop) limit    refused                  refused where the buy's limit is not below the sell's
 */
export function washTrade(view: View, order: Placing): WashRefusal | undefined {
  const opposite = view.own.get(order.accountId)?.get(order.symbol)?.[order.side === 'buy' ? 'sell' : 'buy']
  if (!opposite || isExempt(order)) return undefined
  for (const id of opposite.unpriced) return { code: 'washTrade', existingOrderId: id, existing: 'any' }
  // The first limit it would come to: the lowest sell, or the highest buy.
  const { prices, orders } = opposite.limits
  const place = order.side === 'buy' ? 0 : prices.length - 1
  const met = prices[place]
  if (met === undefined || !meets(order, met)) return undefined
  for (const id of orders[place]!) return { code: 'washTrade', existingOrderId: id, existing: 'limit' }
  return undefined
}

function meets({ side, limit }: Placing, met: Price): boolean {
  if (limit === undefined) return true
  return side === 'buy' ? limit >= met : limit <= met
}
