import type { Price } from '../amount.ts'
import type { AccountId, OrderId, Ticker } from '../ids.ts'
import type { View } from '../state/state.ts'
import type { OrderKind } from './kinds.ts'
import { openOrdersOf } from './open-orders.ts'
import type { Side } from './order.ts'
import { isExempt } from './self-trade-index.ts'

export type WashRefusal = {
  readonly code: 'washTrade'
  readonly existingOrderId: OrderId
  readonly existing: 'limit' | 'any'
}

type NewOrder = {
  readonly accountId: AccountId
  readonly symbol: Ticker
  readonly side: Side
  readonly kind: OrderKind
  readonly limit?: Price | undefined
  readonly group?: unknown
}

/**
 * Refuses an order that could trade with another order of the same account:
 *
 *   existing        new: market, stop        new: limit, stop limit
 *   market, stop    refused                  refused
 *   (stop) limit    refused                  refused if the buy limit is not below the sell limit
 */
export function washTrade(view: View, order: NewOrder): WashRefusal | undefined {
  const opposite = view.selfTradeIndex.get(order.accountId)?.get(order.symbol)?.[
    order.side === 'buy' ? 'sell' : 'buy'
  ]
  if (!opposite || isExempt(order)) return undefined
  if (opposite.unpriced > 0) return refusedBy(view, order, undefined)
  // The nearest limit: the lowest sell, or the highest buy.
  const nearest = opposite.limits.at(order.side === 'buy' ? 0 : -1)
  return nearest !== undefined && meets(order, nearest) ? refusedBy(view, order, nearest) : undefined
}

/** Names the oldest conflicting order with this limit (or without one). Searched only for a refusal. */
function refusedBy(view: View, { accountId, symbol, side }: NewOrder, limit: Price | undefined): WashRefusal {
  for (const other of openOrdersOf(view, accountId)) {
    if (other.symbol !== symbol || other.side === side || other.limit !== limit || isExempt(other)) continue
    return { code: 'washTrade', existingOrderId: other.id, existing: limit === undefined ? 'any' : 'limit' }
  }
  throw new Error(`bug: no order of ${accountId} conflicts with a ${side} of ${symbol}`)
}

function meets({ side, limit }: NewOrder, opposite: Price): boolean {
  if (limit === undefined) return true
  return side === 'buy' ? limit >= opposite : limit <= opposite
}
