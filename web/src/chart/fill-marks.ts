import type { WireOrder as Order } from '@quipu/sdk'
import type { SeriesMarker, Time } from 'lightweight-charts'
import { quantityText } from '../format/amounts.ts'
import { add, decimal, numberOf } from '../format/decimal.ts'
import { type ChartBar, timeOf } from './bar.ts'
import type { Colours } from './chart-colours.ts'
import { ARROW_SIZE } from './fill-labels.ts'
import { adjusted, type Split } from './symbol-events.ts'
import { startOf, type Timeframe } from './timeframes.ts'

/** An own fill, or several in one bar. */
export type FillMark = {
  readonly atMs: number
  readonly price: number
  readonly side: 'buy' | 'sell'
  readonly text: string
  /** The orders that filled, the newest first. */
  readonly orders: readonly string[]
}

/** The fills of orders: one mark per bar and side. */
export function fillMarks(
  orders: Iterable<Order>,
  timeframe: Timeframe,
  splits: readonly Split[],
): readonly FillMark[] {
  const marks = new Map<string, FillMark & { readonly quantity: string }>()
  for (const { id, filled_at, updated_at, filled_avg_price, filled_qty, side, symbol } of orders) {
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
      orders: [...(before?.orders ?? []), id],
      quantity: text.replaceAll(',', ''),
    })
  }
  return [...marks.values()]
}

/** The marks as the chart library draws them: an arrow at the bar of each fill. */
export const fillMarkers = (
  fills: readonly FillMark[],
  bars: readonly ChartBar[],
  colours: Colours,
): SeriesMarker<Time>[] =>
  fills
    .filter(({ atMs }) => atMs >= bars[0]!.atMs)
    .map(({ atMs, price, side }): SeriesMarker<Time> => {
      const bar = bars.findLast((one) => one.atMs <= atMs)!
      const isBuy = side === 'buy'
      return {
        time: timeOf(bar.atMs),
        position: isBuy ? 'atPriceBottom' : 'atPriceTop',
        price,
        shape: isBuy ? 'arrowUp' : 'arrowDown',
        color: isBuy ? colours.accent : colours.ink,
        size: ARROW_SIZE,
      }
    })
    .sort((a, b) => (a.time as number) - (b.time as number))
