import type { Price } from '../amount.ts'
import type { AccountId, Ticker } from '../ids.ts'
import { indexFor, insertAt, removeAt } from '../sorted.ts'
import { type Order, opens, type Side } from './order.ts'
import { isOpen } from './transitions.ts'

/**
 * Counts an account's open orders of one symbol and side, for the checks of an order on the other side: how
 * many of each kind, and the limits of those that it could trade with.
 */
export type SelfTradeSide = {
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
export type SelfTradeEntry = Readonly<Record<Side, SelfTradeSide>>
/** The counts only. */
export type OpenOrderCounts = Readonly<
  Record<Side, Readonly<Pick<SelfTradeSide, 'open' | 'opening' | 'inMoney'>>>
>
export type SelfTradeIndex = Map<AccountId, Map<Ticker, SelfTradeEntry>>

const emptySide = (): SelfTradeSide => ({
  open: 0,
  opening: 0,
  inMoney: 0,
  unpriced: 0,
  limits: [],
  counts: [],
})

/** Group members and trailing stops may be opposite to other orders of the account. */
export const isExempt = ({ kind, group }: Pick<Order, 'kind'> & { readonly group?: unknown }): boolean =>
  kind === 'trailingStop' || group !== undefined

/** Updates the index after a change of one order. */
export function updateSelfTradeIndex(books: SelfTradeIndex, before: Order | undefined, after: Order): void {
  if (!before) return addToSelfTradeIndex(books, after)
  if (isOpen(after) && before.limit === after.limit && before.symbol === after.symbol) return
  removeFromSelfTradeIndex(books, before)
  if (isOpen(after)) addToSelfTradeIndex(books, after)
}

export const addToSelfTradeIndex = (books: SelfTradeIndex, order: Order): void =>
  count(sideOf(selfTradeEntryOf(books, order.accountId, order.symbol), order), order, 1)

/** The entry of an account and symbol, created if missing. */
export function selfTradeEntryOf(
  books: SelfTradeIndex,
  accountId: AccountId,
  symbol: Ticker,
): SelfTradeEntry {
  let mine = books.get(accountId)
  if (!mine) books.set(accountId, (mine = new Map()))
  let both = mine.get(symbol)
  if (!both) mine.set(symbol, (both = { buy: emptySide(), sell: emptySide() }))
  return both
}

function removeFromSelfTradeIndex(books: SelfTradeIndex, order: Order): void {
  const mine = books.get(order.accountId)
  const both = mine?.get(order.symbol)
  if (!mine || !both) return
  count(sideOf(both, order), order, -1)
  if (both.buy.open + both.sell.open > 0) return
  mine.delete(order.symbol)
  if (mine.size === 0) books.delete(order.accountId)
}

const sideOf = ({ buy, sell }: SelfTradeEntry, { side }: Order): SelfTradeSide =>
  side === 'buy' ? buy : sell

function count(side: SelfTradeSide, order: Order, by: 1 | -1): void {
  side.open += by
  if (opens(order.intent)) side.opening += by
  if (order.notional !== undefined) side.inMoney += by
  if (isExempt(order)) return
  if (order.limit === undefined) side.unpriced += by
  else countAt(side, order.limit, by)
}

function countAt({ limits, counts }: SelfTradeSide, limit: Price, by: 1 | -1): void {
  const place = indexFor(limits, limit)
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
