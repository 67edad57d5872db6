import type { AccountId, OrderId, Ticker } from '../ids.ts'
import { emptyLevels, enterLevel, type Levels, leaveLevel } from './levels.ts'
import { isOpen } from './moves.ts'
import { type Order, opens, type Side } from './order.ts'

/**
 * An account's open orders of one symbol and side, as far as an order of the other side must look at them: how many
 * there are of which kind, and those it might trade with, by limit. Found without looking at each of them.
 */
export type OwnSide = {
  open: number
  /** Those that would add to a position. */
  opening: number
  /** Those sized in dollars. */
  inMoney: number
  /** Those that take any price, oldest first. */
  readonly unpriced: Set<OrderId>
  readonly limits: Levels
}
export type OwnOrders = Readonly<Record<Side, OwnSide>>
export type OwnBooks = Map<AccountId, Map<Ticker, OwnOrders>>

const emptySide = (): OwnSide => ({
  open: 0,
  opening: 0,
  inMoney: 0,
  unpriced: new Set(),
  limits: emptyLevels(),
})

/** Groups and trailing stops may stand against orders of the other side. */
export const isExempt = ({ kind, group }: Pick<Order, 'kind'> & { readonly group?: unknown }): boolean =>
  kind === 'trailingStop' || group !== undefined

/** Keeps the index in step with one order. */
export function keepOwn(books: OwnBooks, before: Order | undefined, after: Order): void {
  if (!before) return enterOwn(books, after)
  if (isOpen(after) && before.limit === after.limit && before.symbol === after.symbol) return
  leaveOwn(books, before)
  if (isOpen(after)) enterOwn(books, after)
}

export function enterOwn(books: OwnBooks, order: Order): void {
  const side = ownOf(books, order.accountId, order.symbol)[order.side]
  count(side, order, 1)
  if (isExempt(order)) return
  if (order.limit === undefined) {
    side.unpriced.add(order.id)
    return
  }
  enterLevel(side.limits, order.limit, order.id)
}

/** What is known of an account's orders of a symbol, made empty where nothing is. */
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
  const side = both[order.side]
  count(side, order, -1)
  if (both.buy.open + both.sell.open === 0) {
    mine.delete(order.symbol)
    if (mine.size === 0) books.delete(order.accountId)
    return
  }
  if (isExempt(order)) return
  if (order.limit === undefined) side.unpriced.delete(order.id)
  else leaveLevel(side.limits, order.limit, order.id)
}

function count(side: OwnSide, { intent, notional }: Order, by: 1 | -1): void {
  side.open += by
  if (opens(intent)) side.opening += by
  if (notional !== undefined) side.inMoney += by
}
