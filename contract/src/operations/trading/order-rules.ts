import { isPositive, type Problem } from '../../shape/index.ts'
import type { orderClasses } from './order-record.ts'
import { type OrderType, pricesOfType } from './order-types.ts'

type Text = string | undefined

/** The fields of an order body that depend on each other. */
type OrderBody = {
  readonly symbol?: Text
  readonly side?: Text
  readonly type: OrderType
  readonly qty?: Text
  readonly notional?: Text
  readonly limit_price?: Text
  readonly stop_price?: Text
  readonly trail_price?: Text
  readonly trail_percent?: Text
  readonly order_class: '' | (typeof orderClasses)[number]
  readonly take_profit?: { readonly limit_price?: Text } | undefined
  readonly stop_loss?: { readonly stop_price?: Text; readonly limit_price?: Text } | undefined
}

/** Checks required and conflicting fields of an order, in the sequence of the protocol. */
export const orderRules = (order: OrderBody): Problem | undefined =>
  subjectRule(order) ?? sizeRule(order) ?? priceRule(order) ?? exitsRule(order)

const problem = (field: string, message: string): Problem => ({ field, message })

function subjectRule({ symbol, side, order_class: orderClass }: OrderBody): Problem | undefined {
  if (orderClass === 'mleg') {
    return symbol === undefined ? undefined : problem('symbol', 'symbol is not allowed for mleg order')
  }
  if (symbol === undefined) return problem('symbol', 'symbol is required')
  if (side === undefined) return problem('side', 'invalid side')
  return undefined
}

function sizeRule({ qty, notional }: OrderBody): Problem | undefined {
  if (qty === undefined && notional === undefined) return problem('qty', 'qty or notional is required')
  if (qty !== undefined && notional !== undefined) {
    return problem('notional', 'only one of qty or notional is accepted')
  }
  return undefined
}

function priceRule(order: OrderBody): Problem | undefined {
  // A multi-leg price may be negative: a credit.
  const { limit_price: limit, order_class: orderClass } = order
  if (limit !== undefined && orderClass !== 'mleg' && !isPositive(limit)) {
    return problem('limit_price', 'limit price must be > 0')
  }
  return requiredPriceRule(order) ?? trailRule(order)
}

/** What is wrong with an order without a price of its type, and with a price that its type does not have. */
const priceProblems: Readonly<Record<OrderType, { readonly missing?: Problem; readonly extra?: Problem }>> = {
  market: { extra: problem('limit_price', 'market orders require no stop or limit price') },
  limit: {
    missing: problem('limit_price', 'limit orders require a limit price'),
    extra: problem('stop_price', 'limit orders must not have stop_price'),
  },
  stop: {
    missing: problem('stop_price', 'stop orders require a stop price'),
    extra: problem('limit_price', 'stop orders must not have limit_price'),
  },
  stop_limit: {
    missing: problem('stop_price', 'stop limit orders require both stop and limit price'),
  },
  trailing_stop: {
    extra: problem('stop_price', 'trailing stop orders require no stop or limit price'),
  },
}

function requiredPriceRule(order: OrderBody): Problem | undefined {
  const needed = pricesOfType(order.type)
  const { missing, extra } = priceProblems[order.type]
  // The take-profit of an oco may carry the limit price.
  const profit = order.type === 'limit' && order.order_class === 'oco' && order.take_profit?.limit_price
  const hasLimit = (order.limit_price ?? (profit || undefined)) !== undefined
  const hasStop = order.stop_price !== undefined
  const needsLimit = needed.includes('limit_price')
  const needsStop = needed.includes('stop_price')
  if ((needsLimit && !hasLimit) || (needsStop && !hasStop)) return missing
  return (hasLimit && !needsLimit) || (hasStop && !needsStop) ? extra : undefined
}

const trailsBy = 'trailing stop orders must specify one of trail_price or trail_percent'

function trailRule({ type, trail_price: price, trail_percent: percent }: OrderBody): Problem | undefined {
  if (!pricesOfType(type).includes('trail')) {
    return price === undefined && percent === undefined
      ? undefined
      : problem('trail_price', 'only trailing stop orders have trail_price or trail_percent')
  }
  if ((price === undefined) === (percent === undefined)) return problem('trail_price', trailsBy)
  if (percent === undefined) return undefined
  if (Number(percent) < 0.1) {
    return problem('trail_percent', 'trail_percent must be greater than or equal to 0.1')
  }
  return Number(percent) < 100 ? undefined : problem('trail_percent', 'trail_percent must be less than 100')
}

/** Checks the prices that the exits of a group require. */
function exitsRule(order: OrderBody): Problem | undefined {
  const { order_class: orderClass, take_profit: takeProfit, stop_loss: stopLoss } = order
  const [profit, stop] = [takeProfit?.limit_price, stopLoss?.stop_price]
  switch (orderClass) {
    case 'bracket':
      if (profit === undefined) return required(orderClass, 'take_profit.limit_price')
      if (stop === undefined) return required(orderClass, 'stop_loss.stop_price')
      break
    case 'oco':
      if (profit === undefined && order.limit_price === undefined) {
        return required(orderClass, 'take_profit.limit_price')
      }
      if (stop === undefined) return required(orderClass, 'stop_loss.stop_price')
      break
    case 'oto':
      if ((profit === undefined) === (stop === undefined)) {
        return problem('take_profit', 'oto orders require exactly one of take_profit or stop_loss')
      }
      break
    case '':
    case 'simple':
    case 'mleg':
      return takeProfit === undefined && stopLoss === undefined
        ? undefined
        : problem('order_class', 'take_profit and stop_loss need order_class bracket, oco or oto')
    default:
      return orderClass satisfies never
  }
  return exitPrices(profit, stop, stopLoss?.limit_price)
}

const required = (orderClass: string, field: string): Problem =>
  problem(field, `${orderClass} orders require ${field}`)

function exitPrices(profit: Text, stop: Text, limit: Text): Problem | undefined {
  const prices = [
    ['take_profit.limit_price', profit],
    ['stop_loss.stop_price', stop],
    ['stop_loss.limit_price', limit],
  ] as const
  const wrong = prices.find(([, price]) => price !== undefined && !isPositive(price))
  return wrong && problem(wrong[0], `${wrong[0]} must be > 0`)
}
