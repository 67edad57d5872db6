import type { Price } from '../amount.ts'
import type { AccountId, Ticker } from '../ids.ts'
import { found } from '../result.ts'
import { indexFor, insertAt, removeAt } from '../sorted.ts'
import { kindRow } from './kinds.ts'
import { type Order, opens, type Side } from './order.ts'
import { isOpen } from './transitions.ts'

/**
 * Counts an account's open orders of one symbol and side, for the checks of an order on the other side: how
 * many of each kind, and the limits of the orders that it could trade with.
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
export const emptySelfTradeIndex = (): SelfTradeIndex => new Map()
export type SelfTradeIndex = Map<AccountId, Map<Ticker, SelfTradeEntry>>

const emptySide = (): SelfTradeSide => ({
  open: 0,
  opening: 0,
  inMoney: 0,
  unpriced: 0,
  limits: [],
  counts: [],
})

/** Group members and orders of exempt kinds may be opposite to other orders of the account. */
export const isExempt = ({ kind, group }: Pick<Order, 'kind'> & { readonly group?: unknown }): boolean =>
  kindRow(kind).isWashExempt || group !== undefined

/** Updates the index after a change of one order. */
export function updateSelfTradeIndex(index: SelfTradeIndex, before: Order | undefined, after: Order): void {
  if (!before) return addToSelfTradeIndex(index, after)
  if (isOpen(after) && before.limit === after.limit && before.symbol === after.symbol) return
  removeFromSelfTradeIndex(index, before)
  if (isOpen(after)) addToSelfTradeIndex(index, after)
}

export const addToSelfTradeIndex = (index: SelfTradeIndex, order: Order): void =>
  count(sideOf(selfTradeEntryOf(index, order.accountId, order.symbol), order), order, 1)

/** The entry of an account and symbol, created if missing. */
export function selfTradeEntryOf(
  index: SelfTradeIndex,
  accountId: AccountId,
  symbol: Ticker,
): SelfTradeEntry {
  let entries = index.get(accountId)
  if (!entries) index.set(accountId, (entries = new Map()))
  let entry = entries.get(symbol)
  if (!entry) entries.set(symbol, (entry = { buy: emptySide(), sell: emptySide() }))
  return entry
}

function removeFromSelfTradeIndex(index: SelfTradeIndex, order: Order): void {
  const entries = index.get(order.accountId)
  const entry = entries?.get(order.symbol)
  if (!entries || !entry) return
  count(sideOf(entry, order), order, -1)
  if (entry.buy.open + entry.sell.open > 0) return
  entries.delete(order.symbol)
  if (entries.size === 0) index.delete(order.accountId)
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
  const at = indexFor(limits, limit)
  if (limits[at] !== limit) {
    insertAt(limits, at, limit)
    insertAt(counts, at, by)
    return
  }
  const remaining = found(counts[at], 'a count') + by
  counts[at] = remaining
  if (remaining > 0) return
  removeAt(limits, at)
  removeAt(counts, at)
}
