import { type Price, toPrice } from '../../amount.ts'
import type { OrderId } from '../../ids.ts'
import { found } from '../../result.ts'
import { type Order, SIDES, type Side } from '../order.ts'
import { isWorking } from '../transitions.ts'
import {
  BOOK_CLASSES,
  type Book,
  type BookClass,
  type BookView,
  classOf,
  emptyBook,
  enterLevel,
  type LevelsView,
  leaveLevel,
  nearestPrice,
  reachedOrders,
} from './book.ts'

/**
 * Orders of one symbol that wait for a trade: all by their stop price, trailing stops also by their best
 * price so far.
 */
export type Triggers = { readonly stops: Book; readonly trails: Book }
export type TriggersView = { readonly stops: BookView; readonly trails: BookView }

export const emptyTriggers = (): Triggers => ({ stops: emptyBook(), trails: emptyBook() })

/** Whether an order waits for its trigger: armed, not elected, and working or held. */
export const awaitsTrade = (order: Order): boolean =>
  order.trigger !== undefined &&
  order.trigger.electedAt === undefined &&
  order.trigger.armedAt !== undefined &&
  (isWorking(order) || order.status === 'held')

export const enterTriggers = (triggers: Triggers, order: Order): void => move(triggers, order, enterLevel)
export const leaveTriggers = (triggers: Triggers, order: Order): void => move(triggers, order, leaveLevel)

function move({ stops, trails }: Triggers, order: Order, enterOrLeave: typeof enterLevel): void {
  const bookClass = classOf(order)
  const { id, side } = order
  const { stop, highWater } = found(order.trigger, 'the trigger')
  enterOrLeave(stops[bookClass][side], stop, id)
  if (highWater !== undefined) enterOrLeave(trails[bookClass][side], highWater, id)
}

/** A sell is elected by a trade at or below its stop, a buy by one at or above it; the nearest first. */
export const electedBy = (stops: LevelsView, side: Side, price: Price): readonly OrderId[] =>
  reachedOrders(stops, opposite(side), price)

/** A sell trails every trade above its best price, a buy every trade below. */
export const trailedBy = (best: LevelsView, side: Side, price: Price): readonly OrderId[] =>
  reachedOrders(best, side, beyond(price, side === 'sell' ? -1n : 1n))

/** The next trade that would elect or move an order. */
export type TradeCondition = {
  readonly kind: BookClass
  /** `rise`: a trade at or above the price; `fall`: at or below it. */
  readonly direction: 'rise' | 'fall'
  readonly price: Price
}

export function tradeConditionsOf({ stops, trails }: TriggersView): readonly TradeCondition[] {
  const conditions: TradeCondition[] = []
  for (const kind of BOOK_CLASSES)
    for (const side of SIDES) {
      const stop = nearestPrice(stops[kind][side], opposite(side))
      if (stop !== undefined)
        conditions.push({ kind, direction: side === 'buy' ? 'rise' : 'fall', price: stop })
      const best = nearestPrice(trails[kind][side], side)
      if (best === undefined) continue
      conditions.push(
        side === 'sell'
          ? { kind, direction: 'rise', price: beyond(best, 1n) }
          : { kind, direction: 'fall', price: beyond(best, -1n) },
      )
    }
  return conditions
}

const opposite = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy')
const beyond = (price: Price, by: bigint): Price => toPrice(price + by)
