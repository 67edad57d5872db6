import { mayReturnShares } from '../account/partner/pending-book-transfers.ts'
import { NO_QUANTITY, type Quantity, toQuantity } from '../amount.ts'
import type { AccountId, Ticker } from '../ids.ts'
import type { View } from '../state/state.ts'
import { holdsShares, isPending } from './moves.ts'

/*
 * A position is long or short, never both. So an account cannot open a short while a pending mint, redeem or
 * book transfer may return shares, and an account that is or may become short cannot receive shares.
 */

/** Whether pending requests or book transfers may bring shares of this symbol to the account. */
export function awaitsShares(view: View, accountId: AccountId, symbol: Ticker): boolean {
  for (const request of view.requests.values())
    if (request.accountId === accountId && request.underlying === symbol && isPending(request)) return true
  return mayReturnShares(view, accountId, symbol)
}

/** Shares held by the account's mint requests. */
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
  return toQuantity(held)
}

/** Whether the account is short, or has an order that would open a short. */
export function isShortOf(view: View, accountId: AccountId, symbol: Ticker): boolean {
  const position = view.positions.get(accountId)?.get(symbol)?.quantity ?? NO_QUANTITY
  return position < NO_QUANTITY || (view.selfTradeIndex.get(accountId)?.get(symbol)?.sell.opening ?? 0) > 0
}
