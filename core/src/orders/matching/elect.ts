import type { Decider } from '../../handlers.ts'
import type { OrderId } from '../../ids.ts'
import type { LastTrade } from '../../market/prices.ts'
import type { Moment } from '../../moment.ts'
import { entryIn, found, ok } from '../../result.ts'
import { settingsOf, type View } from '../../state/state.ts'
import type { OrderElected, StopAdjusted } from '../events.ts'
import { withConsequences } from '../groups.ts'
import { type Order, SIDES } from '../order.ts'
import { tradesAt } from '../session.ts'
import { BOOK_CLASSES } from './book.ts'
import { electedBy, trailedBy } from './trigger-book.ts'
import { trailingStopPrice } from './trigger-prices.ts'

/**
 * Applies the last trade to waiting stops: stops it reaches are elected, oldest first, and trailing stops
 * follow a new best price. Only a trade within an order's trading hours counts, and only for orders armed
 * before it.
 */
export const observeTrade: Decider<'observeTrade'> = (view, moment, { symbol, trade: reportedTrade }) => {
  const triggers = view.triggers.get(symbol)
  const trade = reportedTrade ?? moment.prices.trade(symbol)
  if (!triggers || !trade) return ok([])
  const settings = settingsOf(view)
  const [moved, elected]: [Order[], Order[]] = [[], []]
  for (const kind of BOOK_CLASSES) {
    if (!tradesAt(settings, kind, moment.at) || !tradesAt(settings, kind, trade.at)) continue
    for (const side of SIDES) {
      moved.push(...armedBefore(view, trade, trailedBy(triggers.trails[kind][side], side, trade.price)))
      elected.push(...armedBefore(view, trade, electedBy(triggers.stops[kind][side], side, trade.price)))
    }
  }
  const events = [
    ...moved.sort(byAge).map((order) => trailedEvent(moment, order, trade)),
    ...elected.sort(byAge).map((order) => electedEvent(moment, order, trade)),
  ]
  return ok(withConsequences(view, moment, events))
}

const armedBefore = (view: View, trade: LastTrade, ids: readonly OrderId[]): Order[] =>
  ids
    .map((id) => entryIn(view.orders, id))
    .filter(({ trigger }) => trigger?.armedAt !== undefined && trigger.armedAt < trade.at)

const byAge = (a: Order, b: Order): number =>
  a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.id < b.id ? -1 : 1

const trailedEvent = ({ at }: Moment, order: Order, { price }: LastTrade): StopAdjusted => ({
  kind: 'stopAdjusted',
  at,
  accountId: order.accountId,
  orderId: order.id,
  highWater: price,
  stop: trailingStopPrice(order.side, price, found(order.trigger, 'the trigger')),
})

const electedEvent = ({ at }: Moment, order: Order, trade: LastTrade): OrderElected => ({
  kind: 'orderElected',
  at,
  accountId: order.accountId,
  orderId: order.id,
  trade: { at: trade.at, price: trade.price, size: trade.size },
})
