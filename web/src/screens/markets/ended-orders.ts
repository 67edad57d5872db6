import type { Order } from '@quipu/sdk'
import { useEffect, useState } from 'preact/hooks'
import { quantityText } from '../../format/amounts.ts'
import { add, decimal, numberOf } from '../../format/decimal.ts'
import { current } from '../../live/current.ts'
import { oneAtATime } from '../../live/one-at-a-time.ts'
import type { FillMark } from './candle-chart.ts'
import { adjusted, type Split } from './symbol-events.ts'
import { startOf, type Timeframe } from './timeframes.ts'

const ORDERS_MAX = 500

/** The ended orders of a symbol, read again after each update of one. */
export function useEndedOrders(symbol: string): readonly Order[] {
  const [orders, setOrders] = useState<readonly Order[]>([])
  const store = current.value?.store
  useEffect(() => {
    if (!store) return undefined
    setOrders([])
    const query = { status: 'closed' as const, symbols: [symbol], limit: ORDERS_MAX }
    const read = oneAtATime(() =>
      store.connection.client.listOrders({ query }).then(setOrders, () => undefined),
    )
    read()
    return store.follow({
      take: (updates) => {
        if (updates.some(({ order }) => order.symbol === symbol)) read()
      },
      readAgain: read,
    })
  }, [store, symbol])
  return orders
}

/** The fills of orders: one mark per bar and side. */
export function fillMarks(
  orders: Iterable<Order>,
  timeframe: Timeframe,
  splits: readonly Split[],
): readonly FillMark[] {
  const marks = new Map<string, FillMark & { readonly quantity: string }>()
  for (const { filled_at, updated_at, filled_avg_price, filled_qty, side, symbol } of orders) {
    const at = filled_at ?? updated_at
    if (filled_avg_price == null || at == null || Number(filled_qty) === 0) continue
    const atMs = startOf(timeframe, Date.parse(at), symbol.includes('/'))
    const key = `${atMs} ${side}`
    const before = marks.get(key)
    const total = add(decimal(filled_qty), decimal(before?.quantity ?? '0'))
    const text = quantityText(total)
    marks.set(key, {
      atMs,
      price: before?.price ?? adjusted(splits, Date.parse(at), numberOf(decimal(filled_avg_price))),
      side: side === 'buy' ? 'buy' : 'sell',
      text,
      quantity: text.replaceAll(',', ''),
    })
  }
  return [...marks.values()]
}
