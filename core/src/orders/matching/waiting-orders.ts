import { entryIn } from '../../result.ts'
import type { State } from '../../state/state.ts'
import type { Order } from '../order.ts'
import { auctionOf, isForAuction } from '../session.ts'
import { isWorking } from '../transitions.ts'
import { emptyBook, enter, leave } from './book.ts'
import { awaitsTrade, emptyTriggers, enterTriggers, leaveTriggers } from './trigger-book.ts'

/**
 * The index in which an open order waits for the market:
 *
 *   book      until a quote reaches it
 *   triggers  until a trade elects it
 *   auctions  until its auction takes place
 *   none      on its way to the market, held, resting between two fills, or closed
 */
type WaitingIndex = 'book' | 'triggers' | 'auctions' | 'none'

export function waitingIndexOf(order: Order): WaitingIndex {
  if (order.trigger && order.trigger.electedAt === undefined) return awaitsTrade(order) ? 'triggers' : 'none'
  if (!isWorking(order) || order.venue?.restsUntil !== undefined) return 'none'
  return isForAuction(order) ? 'auctions' : 'book'
}

/** Updates the index after a change of an order. */
export function updateWaitingIndex(state: State, before: Order | undefined, after: Order): void {
  const from = before ? waitingIndexOf(before) : 'none'
  const to = waitingIndexOf(after)
  // Only a trigger changes its position within an index.
  if (from === to && (to !== 'triggers' || before?.trigger === after.trigger)) return
  if (before) leaveIndex(state, from, before)
  enterIndex(state, to, after)
}

function enterIndex(state: State, index: WaitingIndex, order: Order): void {
  const { symbol, id } = order
  if (index === 'book') {
    let book = state.books.get(symbol)
    if (!book) state.books.set(symbol, (book = emptyBook()))
    enter(book, order)
  } else if (index === 'triggers') {
    let triggers = state.triggers.get(symbol)
    if (!triggers) state.triggers.set(symbol, (triggers = emptyTriggers()))
    enterTriggers(triggers, order)
  } else if (index === 'auctions') {
    const at = auctionOf(order)
    let auctions = state.auctions.get(symbol)
    if (!auctions) state.auctions.set(symbol, (auctions = new Map()))
    let waiting = auctions.get(at)
    if (!waiting) auctions.set(at, (waiting = new Set()))
    waiting.add(id)
  }
}

function leaveIndex(state: State, index: WaitingIndex, order: Order): void {
  const { symbol, id } = order
  if (index === 'book') leave(entryIn(state.books, symbol), order)
  else if (index === 'triggers') leaveTriggers(entryIn(state.triggers, symbol), order)
  else if (index === 'auctions') {
    const at = auctionOf(order)
    const auctions = entryIn(state.auctions, symbol)
    const waiting = entryIn(auctions, at)
    waiting.delete(id)
    if (waiting.size === 0) auctions.delete(at)
    if (auctions.size === 0) state.auctions.delete(symbol)
  }
}
