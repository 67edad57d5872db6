import type { WireOrder as Order } from '@quipu/sdk'
import type { AutoscaleInfo } from 'lightweight-charts'
import { moneyText, priceText, quantityText } from '../format/amounts.ts'
import { type Decimal, decimal, decimalOfNumber, multiply, signOf, subtract } from '../format/decimal.ts'
import { isTrailing } from '../format/orders.ts'

/** A price of an open order, as a line on the chart. */
export type OrderLevel = {
  readonly key: string
  readonly order: Order
  readonly field: 'limit_price' | 'stop_price'
  readonly price: Decimal
  /** A trailing stop moves by itself; its price cannot be replaced. */
  readonly isFixed: boolean
}

/** The prices of orders. Those of an order that did not change are the same objects, so that nothing is drawn for them. */
export const levelsOf = (orders: readonly Order[]): readonly OrderLevel[] =>
  orders.flatMap((order) => {
    const levels = known.get(order) ?? levelsOfOrder(order)
    known.set(order, levels)
    return levels
  })

const known = new WeakMap<Order, readonly OrderLevel[]>()

const levelsOfOrder = (order: Order): readonly OrderLevel[] =>
  (['limit_price', 'stop_price'] as const).flatMap((field) => {
    const text = order[field]
    if (text == null) return []
    const isFixed = isTrailing(order) || order.status.startsWith('pending_')
    return [{ key: `${order.id} ${field}`, order, field, price: decimal(text), isFixed }]
  })

const kindOf = ({ field }: OrderLevel): 'limit' | 'stop' => (field === 'limit_price' ? 'limit' : 'stop')
const verbOf = ({ order }: OrderLevel): string => (order.side === 'buy' ? 'Buy' : 'Sell')
const amountOf = ({ order }: OrderLevel): string =>
  order.qty == null ? `$${quantityText(order.notional ?? '0')}` : quantityText(order.qty)

const pendingWords: Readonly<Record<string, string>> = {
  pending_new: ', accepted',
  pending_replace: ', replacing',
  pending_cancel: ', canceling',
}

/** `Sell 60 limit` */
export const levelText = (level: OrderLevel): string => {
  const { status } = level.order
  const state = pendingWords[status] ?? ''
  const kind = isTrailing(level.order) ? 'trailing stop' : kindOf(level)
  return `${verbOf(level)} ${amountOf(level)} ${kind}${state}`
}

/** `Limit price, sell 60 AAPL` */
export const levelName = (level: OrderLevel): string =>
  `${level.field === 'limit_price' ? 'Limit' : 'Stop'} price, ${verbOf(level).toLowerCase()} ${amountOf(level)} ${
    level.order.symbol
  }`

/** `Replace stop 320.91 with 318.50?` */
export const replaceText = (level: OrderLevel, price: Decimal): string =>
  `Replace ${kindOf(level)} ${priceText(level.price)} with ${priceText(price)}?`

/** `At the stop you get about 120.50 less` */
export function effectText(level: OrderLevel, price: Decimal): string | undefined {
  const { order } = level
  if (order.qty == null) return undefined
  const rest = subtract(decimal(order.qty), decimal(order.filled_qty))
  const change = multiply(subtract(price, level.price), rest)
  const more = signOf(change) > 0 ? 'more' : 'less'
  const amount = moneyText(signOf(change) < 0 ? { ...change, units: -change.units } : change)
  const [when, bound] =
    kindOf(level) === 'stop'
      ? ['At the stop', 'about']
      : ['If it fills', order.side === 'buy' ? 'at most' : 'at least']
  return `${when} you ${order.side === 'buy' ? 'pay' : 'get'} ${bound} ${amount} ${more}`
}

/** The smallest step of a price: of the asset for crypto, otherwise a cent, and a hundredth of it below one dollar. */
export const tickOf = (price: Decimal, increment: string | undefined): Decimal =>
  increment !== undefined
    ? decimal(increment)
    : signOf(subtract(price, decimal('1'))) < 0
      ? decimal('0.0001')
      : decimal('0.01')

/** The price of the tick nearest to a point of the chart. */
export function onTick(price: number, tick: Decimal): Decimal {
  const size = Number(tick.units) / 10 ** tick.places
  const count = Math.max(Math.round(price / size), 1)
  return multiply(decimalOfNumber(count), tick)
}

/** An order that ended without a fill, as a faint line over the time that it worked. */
export type Ghost = {
  readonly id: string
  readonly fromMs: number
  readonly toMs: number
  readonly price: Decimal
  readonly text: string
}

export const ghostsOf = (orders: readonly Order[]): readonly Ghost[] =>
  orders.flatMap((order) => {
    const price = order.limit_price ?? order.stop_price
    const ended = order.canceled_at ?? order.expired_at
    if (price == null || ended == null || order.submitted_at == null) return []
    const size = order.qty == null ? `$${quantityText(order.notional ?? '0')}` : quantityText(order.qty)
    const word = order.canceled_at == null ? 'expired' : 'canceled'
    return [
      {
        id: order.id,
        fromMs: Date.parse(order.submitted_at),
        toMs: Date.parse(ended),
        price: decimal(price),
        text: `${order.side === 'buy' ? 'Buy' : 'Sell'} ${size} at ${priceText(price)}, ${word}`,
      },
    ]
  })

/** The scale of a chart, wide enough for the levels that are near. */
export function withLevels(scale: AutoscaleInfo | null, levels: readonly number[]): AutoscaleInfo | null {
  if (!scale?.priceRange) return scale
  const { minValue, maxValue } = scale.priceRange
  const reach = Math.max((maxValue - minValue) * 1.5, maxValue * 0.03)
  const near = levels.filter((level) => level > minValue - reach && level < maxValue + reach)
  return {
    ...scale,
    priceRange: { minValue: Math.min(minValue, ...near), maxValue: Math.max(maxValue, ...near) },
  }
}
