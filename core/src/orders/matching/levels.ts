import type { Price } from '../../amount.ts'
import type { OrderId } from '../../ids.ts'
import { found } from '../../result.ts'
import { indexFor } from '../../sorted.ts'

/** Orders by price: prices ascending, and the orders of each at the same index, oldest first. */
export type Levels = { readonly prices: Price[]; readonly orders: Set<OrderId>[] }
export type LevelsView = {
  readonly prices: readonly Price[]
  readonly orders: readonly ReadonlySet<OrderId>[]
}

export const emptyLevels = (): Levels => ({ prices: [], orders: [] })

export function enterLevel({ prices, orders }: Levels, price: Price, id: OrderId): void {
  const index = indexFor(prices, price)
  if (prices[index] === price) {
    found(orders[index], 'a price level').add(id)
    return
  }
  prices.splice(index, 0, price)
  orders.splice(index, 0, new Set([id]))
}

export function leaveLevel({ prices, orders }: Levels, price: Price, id: OrderId): void {
  const index = indexFor(prices, price)
  if (prices[index] !== price) return
  const level = found(orders[index], 'a price level')
  level.delete(id)
  if (level.size > 0) return
  prices.splice(index, 1)
  orders.splice(index, 1)
}
