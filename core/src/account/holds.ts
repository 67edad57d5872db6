import {
  add,
  costInCents,
  type Money,
  max,
  NO_MONEY,
  NO_QUANTITY,
  type Quantity,
  subtract,
} from '../amount.ts'
import type { AccountId, Ticker } from '../ids.ts'
import { type Order, opens, remaining } from '../orders/order.ts'
import { isOpen } from '../orders/transitions.ts'
import type { State } from '../state.ts'
import type { Holds } from './account.ts'

/** What an open order keeps its account from spending: money where it opens a position, shares where it closes one. */
export const heldMoney = (order: Order): Money =>
  holdsAnything(order) && opens(order.intent) ? moneyFor(order) : NO_MONEY
export const heldShares = (order: Order): Quantity =>
  holdsAnything(order) && !opens(order.intent) ? remaining(order) : NO_QUANTITY

/**
 * A leg holds nothing while it waits for its parent, nor does a stop-loss while its sibling holds for both. Alone
 * it holds from when its parent is filled.
 */
function holdsAnything(order: Order): boolean {
  if (order.status !== 'held') return isOpen(order)
  return order.group?.class === 'oto' && order.trigger?.armedAt !== undefined
}

/** An order in dollars holds what it has not spent of them. */
function moneyFor(order: Order): Money {
  if (order.notional === undefined) return costInCents(order.reserve, remaining(order), 'up')
  return max(subtract(order.notional, order.spent ?? NO_MONEY), NO_MONEY)
}

/** Keeps an account's holds in step with one of its orders: the old ones out, the new ones in. */
export function keepHolds(state: State, before: Order | undefined, after: Order): void {
  if (before && holdsTheSame(before, after)) return
  const isMoney = opens(after.intent)
  const money = isMoney ? changeOf(heldMoney, before, after) : NO_MONEY
  const shares = isMoney ? NO_QUANTITY : changeOf(heldShares, before, after)
  if (money === NO_MONEY && shares === NO_QUANTITY) return
  changeHolds(state, after.accountId, money, after.symbol, shares)
}

/** An order is of one intent as long as it lives. */
function changeOf<Held extends bigint>(
  held: (order: Order) => Held,
  before: Order | undefined,
  after: Order,
): Held {
  return before ? subtract(held(after), held(before)) : held(after)
}

/** On its way to the market an order holds what it held. */
const holdsTheSame = (before: Order, after: Order): boolean =>
  isOpen(after) &&
  before.status !== 'held' &&
  before.filledQuantity === after.filledQuantity &&
  before.quantity === after.quantity

/** Adds to what an account's open work keeps back; also for requests of other kinds than orders. */
export function changeHolds(
  state: State,
  accountId: AccountId,
  money: Money,
  symbol: Ticker,
  shares: Quantity,
): void {
  let holds: Holds | undefined = state.holds.get(accountId)
  if (!holds) state.holds.set(accountId, (holds = { money: NO_MONEY, shares: new Map() }))
  holds.money = add(holds.money, money)
  if (shares !== NO_QUANTITY) plus(holds.shares, symbol, shares)
}

/** Adds an amount under a key, and drops the key when nothing is left. */
export function plus(map: Map<Ticker, Quantity>, key: Ticker, amount: Quantity): void {
  const sum = add(map.get(key) ?? NO_QUANTITY, amount)
  if (sum === NO_QUANTITY) map.delete(key)
  else map.set(key, sum)
}
