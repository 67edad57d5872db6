import type { WireOrder as Order } from '@quipu/sdk'
import { UNKNOWN } from '../../../format/amounts.ts'
import { type Decimal, decimal, multiply, negate, subtract, textOf } from '../../../format/decimal.ts'
import { isStale } from '../../../live/current.ts'
import { Gain } from '../../../parts/amounts.tsx'
import type { Column } from '../../../parts/table/columns.ts'
import { lastKnown } from '../live-values.ts'

/** What the fills of an order have gained since, at the last price; undefined without a fill or a price. */
function profitOf({
  symbol,
  side,
  filled_qty: quantity,
  filled_avg_price: average,
}: Order): Decimal | undefined {
  const last = average == null ? undefined : lastKnown(symbol)
  if (last === undefined) return undefined
  const gain = multiply(decimal(quantity), subtract(last, decimal(average!)))
  return side === 'buy' ? gain : negate(gain)
}

const profitText = (order: Order): string => {
  const profit = profitOf(order)
  return profit ? textOf(profit) : ''
}

export const orderProfit: Column<Order> = {
  id: 'profit',
  title: 'P/L of fills',
  width: 6,
  isNumber: true,
  isExtra: true,
  isLive: true,
  key: (order) => Number(profitText(order) || 0),
  text: profitText,
  cell: (order) => {
    const profit = profitOf(order)
    const stale = isStale()
    return profit ? (
      <Gain value={profit} stale={stale} of={`order_profit.${order.id}`} />
    ) : (
      <span class="faint">{UNKNOWN}</span>
    )
  },
}
