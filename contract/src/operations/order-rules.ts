import { isPositive, type Problem } from '../shape/index.ts'

type Text = string | undefined

/** The parts of an order body that limit one another. */
type OrderBody = {
  readonly symbol?: Text
  readonly side?: Text
  readonly type: string
  readonly qty?: Text
  readonly notional?: Text
  readonly limit_price?: Text
  readonly stop_price?: Text
  readonly trail_price?: Text
  readonly trail_percent?: Text
  readonly order_class: string
  readonly take_profit?: unknown
}

/** Required and conflicting fields of an order, in the order the protocol looks at them. */
export const orderRules = (order: OrderBody): Problem | undefined =>
  subjectRule(order) ?? sizeRule(order) ?? priceRule(order)

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
  return pricesOfType(order) ?? trailRule(order)
}

function pricesOfType(order: OrderBody): Problem | undefined {
  const { limit_price: limit, stop_price: stop } = order
  switch (order.type) {
    case 'market':
      return limit === undefined && stop === undefined
        ? undefined
        : problem('limit_price', 'market orders require no stop or limit price')
    case 'limit':
      // The take-profit of an oco may carry the limit price.
      if (limit === undefined && !(order.order_class === 'oco' && order.take_profit !== undefined)) {
        return problem('limit_price', 'limit orders require a limit price')
      }
      return stop === undefined ? undefined : problem('stop_price', 'limit orders must not have stop_price')
    case 'stop':
      return stop === undefined ? problem('stop_price', 'stop orders require a stop price') : undefined
    case 'stop_limit':
      return stop === undefined || limit === undefined
        ? problem('stop_price', 'stop limit orders require both stop and limit price')
        : undefined
    default:
      return undefined
  }
}

function trailRule({ type, trail_price: price, trail_percent: percent }: OrderBody): Problem | undefined {
  if (type !== 'trailing_stop') return undefined
  if ((price === undefined) === (percent === undefined)) {
    const text = 'trailing stop orders must specify one of trail_price or trail_percent'
    return problem('trail_price', text)
  }
  return percent !== undefined && Number(percent) < 0.1
    ? problem('trail_percent', 'trail_percent must be greater than or equal to 0.1')
    : undefined
}
