import { NO_QUANTITY, type Quantity } from '../amount.ts'
import type { AccountId, Ticker } from '../ids.ts'
import type { View } from '../state.ts'
import { holdsShares, isPending } from './moves.ts'

/*
 * A position is long or short, never both. So nobody opens a short of shares that may yet come back from a mint, or
 * come from a redeem, and no shares come to whoever is short of them, or about to be.
 */

/** Whether shares of this symbol may yet come to the account. */
export function awaitsShares(view: View, accountId: AccountId, symbol: Ticker): boolean {
  for (const request of view.requests.values())
    if (request.accountId === accountId && request.underlying === symbol && isPending(request)) return true
  return false
}

/** The shares that an account's mint requests hold until they move. */
export function heldByMints(view: View, accountId: AccountId, symbol: Ticker): Quantity {
  let held: bigint = NO_QUANTITY
  for (const request of view.requests.values())
    if (
      request.kind === 'mint' &&
      request.accountId === accountId &&
      request.underlying === symbol &&
      holdsShares(request)
    )
      held += request.quantity
  return held as Quantity
}

/** Whether the account is short of them, or has an order that would make it so. */
export function isShortOf(view: View, accountId: AccountId, symbol: Ticker): boolean {
  const position = view.positions.get(accountId)?.get(symbol)?.quantity ?? NO_QUANTITY
  return position < NO_QUANTITY || (view.own.get(accountId)?.get(symbol)?.sell.opening ?? 0) > 0
}
