import { min, NO_QUANTITY } from '../amount.ts'
import type { Moment } from '../moment.ts'
import { settingsOf, type View } from '../state.ts'
import type { OrderEvent } from './events.ts'
import { isWholeFill } from './groups.ts'
import { classOf } from './matching/book.ts'
import { Filler, priceFor, shownTo, wantedAt } from './matching/fill.ts'
import type { Order } from './order.ts'
import { tradesAt } from './session.ts'

/** Orders that take what there is as they reach the market, or all of it, and never wait. */
export const isImmediate = ({ timeInForce }: Pick<Order, 'timeInForce'>): boolean =>
  timeInForce === 'ioc' || timeInForce === 'fok'

/** What an immediate order gets of the quote it finds; the rest, or all of it where that was asked for, is canceled. */
export function takeNow(view: View, moment: Moment, order: Order): readonly OrderEvent[] {
  const { accountId, id: orderId } = order
  const fill = firstFill(view, moment, order)
  if (fill && isWholeFill(order, fill)) return [fill]
  const canceled = { kind: 'orderCanceled', at: moment.at, accountId, orderId, why: 'unfilled' } as const
  return fill ? [fill, canceled] : [canceled]
}

function firstFill(view: View, moment: Moment, order: Order) {
  const { symbol, side, limit } = order
  const quote = moment.prices.quote(symbol)
  if (!quote || !tradesAt(settingsOf(view), classOf(order), moment.at)) return undefined
  const price = priceFor(side, quote)
  if (limit !== undefined && (side === 'buy' ? price > limit : price < limit)) return undefined
  const wanted = wantedAt(order, price)
  const shown = shownTo(view, symbol, side, quote)
  const quantity = shown === 'unlimited' ? wanted : min(wanted, shown)
  if (quantity === NO_QUANTITY || (order.timeInForce === 'fok' && quantity < wanted)) return undefined
  return new Filler(view, moment, quote).fill(order, quantity)
}
