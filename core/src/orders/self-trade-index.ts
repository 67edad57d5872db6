import type { Price } from '../amount.ts'
import type { AccountId, Ticker } from '../ids.ts'
import { insertAt, placeIn, removeAt } from '../sorted.ts'
import { type Order, opens, type Side } from './order.ts'
import { isOpen } from './transitions.ts'

/**
 * Counts an account's open orders of one symbol and side, for the checks of an order on the other side: how
 * many of each kind, and the limits of those that it could trade with.
 */
export type OwnSide = {
  open: number
  /** Orders that add to a position. */
  opening: number
  /** Notional orders. */
  inMoney: number
  /** Orders without a limit. */
  unpriced: number
  /** Limits of the others, ascending, and the number of orders at each. */
  readonly limits: Price[]
  readonly counts: number[]
}
export type OwnOrders = Readonly<Record<Side, OwnSide>>
/** The counts only. */
export type OwnView = Readonly<Record<Side, Readonly<Pick<OwnSide, 'open' | 'opening' | 'inMoney'>>>>
export type OwnBooks = Map<AccountId, Map<Ticker, OwnOrders>>

const emptySide = (): OwnSide => ({ open: 0, opening: 0, inMoney: 0, unpriced: 0, limits: [], counts: [] })

/** Group members and trailing stops may be opposite to other orders of the account. */
export const isExempt = ({ kind, group }: Pick<Order, 'kind'> & { readonly group?: unknown }): boolean =>
  kind === 'trailingStop' || group !== undefined

/** Updates the index after a change of one order. */
export function keepOwn(books: OwnBooks, before: Order | undefined, after: Order): void {
  if (!before) return enterOwn(books, after)
  if (isOpen(after) && before.limit === after.limit && before.symbol === after.symbol) return
  leaveOwn(books, before)
  if (isOpen(after)) enterOwn(books, after)
}

export const enterOwn = (books: OwnBooks, order: Order): void =>
  count(sideOf(ownOf(books, order.accountId, order.symbol), order), order, 1)

/** The entry of an account and symbol, created if missing. */
export function ownOf(books: OwnBooks, accountId: AccountId, symbol: Ticker): OwnOrders {
  let mine = books.get(accountId)
  if (!mine) books.set(accountId, (mine = new Map()))
  let both = mine.get(symbol)
  if (!both) mine.set(symbol, (both = { buy: emptySide(), sell: emptySide() }))
  return both
}

function leaveOwn(books: OwnBooks, order: Order): void {
  const mine = books.get(order.accountId)
  const both = mine?.get(order.symbol)
  if (!mine || !both) return
  count(sideOf(both, order), order, -1)
  if (both.buy.open + both.sell.open > 0) return
  mine.delete(order.symbol)
  if (mine.size === 0) books.delete(order.accountId)
}

const sideOf = ({ buy, sell }: OwnOrders, { side }: Order): OwnSide => (side === 'buy' ? buy : sell)

function count(side: OwnSide, order: Order, by: 1 | -1): void {
  side.open += by
  if (opens(order.intent)) side.opening += by
  if (order.notional !== undefined) side.inMoney += by
  if (isExempt(order)) return
  if (order.limit === undefined) side.unpriced += by
  else countAt(side, order.limit, by)
}

function countAt({ limits, counts }: OwnSide, limit: Price, by: 1 | -1): void {
  const place = placeIn(limits, limit)
  if (limits[place] !== limit) {
    insertAt(limits, place, limit)
    insertAt(counts, place, by)
    return
  }
  const left = counts[place]! + by
  counts[place] = left
  if (left > 0) return
  removeAt(limits, place)
  removeAt(counts, place)
}
