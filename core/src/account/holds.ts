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
import type { State } from '../state/state.ts'
import type { Holds } from './account.ts'
import { addShares } from './positions/holdings.ts'

/**
 * Money held by an open order that opens a position; an order that closes a position holds shares instead.
 */
export const heldMoney = (order: Order): Money =>
  holdsAnything(order) && opens(order.intent) ? moneyFor(order) : NO_MONEY
export const heldShares = (order: Order): Quantity =>
  holdsAnything(order) && !opens(order.intent) ? sharesFor(order) : NO_QUANTITY

/**
 * A leg holds nothing while it waits for its parent. A stop-loss holds nothing while its sibling holds for
 * both. The single leg of an OTO order holds from its parent's fill. While a replacement is pending, the old
 * order holds for the larger of both.
 */
function holdsAnything(order: Order): boolean {
  if (order.status !== 'held') return isOpen(order) && order.venue?.awaits === undefined
  return order.group?.class === 'oto' && order.trigger?.armedAt !== undefined
}

/** A notional order holds the amount that it has not spent yet. */
function moneyFor(order: Order): Money {
  if (order.notional === undefined) {
    const money = costInCents(order.reserve, remaining(order), 'up')
    const { reserve } = order.venue ?? {}
    return reserve === undefined ? money : max(money, costInCents(reserve, replacementOf(order), 'up'))
  }
  return max(subtract(order.notional, order.spent ?? NO_MONEY), NO_MONEY)
}

const sharesFor = (order: Order): Quantity => max(remaining(order), replacementOf(order))

/** The quantity of the order that is to replace this one, less the fills since; zero without a replacement. */
export const replacementOf = ({ venue, filledQuantity }: Order): Quantity =>
  venue?.total === undefined ? NO_QUANTITY : max(subtract(venue.total, filledQuantity), NO_QUANTITY)

/** Updates an account's holds after a change of one order. */
export function updateHolds(state: State, before: Order | undefined, after: Order): void {
  if (before && holdsTheSame(before, after)) return
  const isMoney = opens(after.intent)
  const money = isMoney ? changeOf(heldMoney, before, after) : NO_MONEY
  const shares = isMoney ? NO_QUANTITY : changeOf(heldShares, before, after)
  if (money === NO_MONEY && shares === NO_QUANTITY) return
  changeHolds(state, after.accountId, money, after.symbol, shares)
}

/** The intent of an order never changes. */
function changeOf<Held extends bigint>(
  held: (order: Order) => Held,
  before: Order | undefined,
  after: Order,
): Held {
  return before ? subtract(held(after), held(before)) : held(after)
}

/** Steps towards the market do not change the hold of an order. */
const holdsTheSame = (before: Order, after: Order): boolean =>
  isOpen(after) &&
  before.status !== 'held' &&
  before.venue === after.venue &&
  before.filledQuantity === after.filledQuantity &&
  before.quantity === after.quantity

/** Adds to the holds of an account; also used by requests other than orders. */
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
  if (shares !== NO_QUANTITY) addShares(holds.shares, symbol, shares)
}
