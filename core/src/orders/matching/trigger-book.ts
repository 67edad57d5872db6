import type { Price } from '../../amount.ts'
import type { OrderId } from '../../ids.ts'
import type { Order, Side } from '../order.ts'
import { isWorking } from '../transitions.ts'
import {
  BOOK_CLASSES,
  type Book,
  type BookClass,
  type BookView,
  classOf,
  emptyBook,
  nearest,
  reached,
} from './book.ts'
import { enterLevel, type LevelsView, leaveLevel } from './levels.ts'

/**
 * Orders of one symbol that wait for a trade: all by their stop, and those that trail also by the best price so far.
 * A trade touches only those it elects or moves.
 */
export type Triggers = { readonly stops: Book; readonly trails: Book }
export type TriggersView = { readonly stops: BookView; readonly trails: BookView }

export const emptyTriggers = (): Triggers => ({ stops: emptyBook(), trails: emptyBook() })

/** Whether it waits for its trade: armed, not elected, and working or held. */
export const awaitsTrade = (order: Order): boolean =>
  order.trigger !== undefined &&
  order.trigger.electedAt === undefined &&
  order.trigger.armedAt !== undefined &&
  (isWorking(order) || order.status === 'held')

export function enterTriggers(triggers: Triggers, order: Order): void {
  const kind = classOf(order)
  const { stop, highWater } = order.trigger!
  enterLevel(triggers.stops[kind][order.side], stop, order.id)
  if (trails(order)) enterLevel(triggers.trails[kind][order.side], highWater!, order.id)
}

export function leaveTriggers(triggers: Triggers, order: Order): void {
  const kind = classOf(order)
  const { stop, highWater } = order.trigger!
  leaveLevel(triggers.stops[kind][order.side], stop, order.id)
  if (trails(order)) leaveLevel(triggers.trails[kind][order.side], highWater!, order.id)
}

const trails = ({ kind, trigger }: Order): boolean =>
  kind === 'trailingStop' && trigger?.highWater !== undefined

/** A sell waits for a trade at or below its stop, a buy for one at or above it: each from the nearest on. */
export const electedBy = (stops: LevelsView, side: Side, price: Price): readonly OrderId[] =>
  reached(stops, opposite(side), price)

/** A sell trails every trade above the best so far, a buy every one below. */
export const movedBy = (best: LevelsView, side: Side, price: Price): readonly OrderId[] =>
  reached(best, side, beyond(price, side === 'sell' ? -1n : 1n))

/** What must be traded next for someone to be elected or moved. */
export type TradeWant = {
  readonly kind: BookClass
  /** `rise`: a trade at the price or above; `fall`: at it or below. */
  readonly direction: 'rise' | 'fall'
  readonly price: Price
}

export function tradeWantsOf({ stops, trails }: TriggersView): readonly TradeWant[] {
  const wants: TradeWant[] = []
  for (const kind of BOOK_CLASSES)
    for (const side of SIDES) {
      const stop = nearest(stops[kind][side], opposite(side))
      if (stop !== undefined) wants.push({ kind, direction: side === 'buy' ? 'rise' : 'fall', price: stop })
      const best = nearest(trails[kind][side], side)
      if (best === undefined) continue
      wants.push(
        side === 'sell'
          ? { kind, direction: 'rise', price: beyond(best, 1n) }
          : { kind, direction: 'fall', price: beyond(best, -1n) },
      )
    }
  return wants
}

const SIDES: readonly Side[] = ['buy', 'sell']
const opposite = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy')
const beyond = (price: Price, by: bigint): Price => (price + by) as Price
