import type { CallOf } from '@quipu/contract'
import { type Context, UsageError } from '../command.ts'
import { present } from '../given.ts'

type Body = CallOf<'placeOrderForAccount'>['body']

export const orderFlags = {
  notional: { placeholder: 'USD', about: 'Amount in dollars, instead of QTY.' },
  limit: { placeholder: 'PRICE', about: 'Limit price.' },
  stop: { placeholder: 'PRICE', about: 'Stop price.' },
  'trail-price': { placeholder: 'USD', about: 'Trailing stop, in dollars.' },
  'trail-percent': { placeholder: 'N', about: 'Trailing stop, in percent.' },
  'take-profit': { placeholder: 'PRICE', about: 'Exit with a gain at this limit price.' },
  'stop-loss': { placeholder: 'PRICE', about: 'Exit with a loss at this stop price.' },
  tif: {
    placeholder: 'day|gtc|ioc|fok|opg|cls',
    about: 'Time in force. Default: day; gtc for pairs of coins.',
  },
  'extended-hours': { about: 'Also trade before the open and after the close.' },
  'client-order-id': { placeholder: 'ID', about: 'Your own id. Placing it twice is refused.' },
} as const

/** The order that the flags describe. Whether it is a good one is the server's to judge. */
export function newOrder({ given }: Context): Body {
  const [side, symbol, qty] = [given.get('SIDE')!, given.get('SYMBOL')!, given.get('QTY')]
  const notional = given.get('notional')
  if (side !== 'buy' && side !== 'sell')
    throw new UsageError(`SIDE: expected buy or sell, received ${JSON.stringify(side)}`)
  if ((qty === undefined) === (notional === undefined))
    throw new UsageError('order place: expected QTY or --notional, e.g. quipu order place buy AAPL 10')
  const [profit, loss] = [given.get('take-profit'), given.get('stop-loss')]
  return {
    symbol,
    side,
    type: typeOf(given),
    time_in_force: (given.get('tif') ?? (symbol.includes('/') ? 'gtc' : 'day')) as Body['time_in_force'],
    ...present({
      qty,
      notional,
      limit_price: given.get('limit'),
      stop_price: given.get('stop'),
      trail_price: given.get('trail-price'),
      trail_percent: given.get('trail-percent'),
      client_order_id: given.get('client-order-id'),
      extended_hours: given.has('extended-hours') ? true : undefined,
      order_class: profit !== undefined && loss !== undefined ? ('bracket' as const) : oneExit(profit, loss),
      take_profit: profit === undefined ? undefined : { limit_price: profit },
      stop_loss: loss === undefined ? undefined : { stop_price: loss },
    }),
  }
}

const oneExit = (profit: string | undefined, loss: string | undefined): 'oto' | undefined =>
  profit === undefined && loss === undefined ? undefined : 'oto'

function typeOf(given: Context['given']): Body['type'] {
  if (given.has('trail-price') || given.has('trail-percent')) return 'trailing_stop'
  if (given.has('stop')) return given.has('limit') ? 'stop_limit' : 'stop'
  return given.has('limit') ? 'limit' : 'market'
}
