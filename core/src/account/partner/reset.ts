import { format, NO_MONEY } from '../../amount.ts'
import type { Deciders } from '../../handlers.ts'
import type { AccountId, PartnerId } from '../../ids.ts'
import { grantRevoked, grantsOn } from '../../oauth/revoke.ts'
import type { OrderCanceled, OrderEvent } from '../../orders/events.ts'
import { openOrdersOf } from '../../orders/open-orders.ts'
import { withReplacementEnds } from '../../orders/venue/replacements.ts'
import { fail, ok, type Result } from '../../result.ts'
import type { View } from '../../state/state.ts'
import type { Instant } from '../../time.ts'
import { isPending } from '../../tokenization/moves.ts'
import type { Account } from '../account.ts'
import { type AccountAccessRefusal, openAccountOf } from '../account-check.ts'
import { cashOf } from '../balances.ts'
import { type BlockRefusal, blockFault } from '../blocks.ts'
import { lastClosed } from '../open.ts'
import { pendingBookTransfersOf } from './pending-book-transfers.ts'
import { postingTo, type StartingPositionRefusal, startingHoldings } from './starting-positions.ts'

export type EmptyRefusal =
  | AccountAccessRefusal
  | { readonly code: 'accountHoldsCustody' }
  | BlockRefusal<'transfersBlocked'>
  | { readonly code: 'mintsPending'; readonly count: number }
  | { readonly code: 'journalsPending'; readonly count: number }
export type ResetRefusal = EmptyRefusal | StartingPositionRefusal
export type CloseRefusal =
  | EmptyRefusal
  | { readonly code: 'accountNotEmpty'; readonly positions: number; readonly openOrders: number }
  | { readonly code: 'accountCashNegative'; readonly owed: string }

export const resetDeciders = {
  /** Cancels open orders, then sets cash and positions. Id, keys and history stay. */
  resetAccount(view, moment, { accountId, partnerId, cash, positions }) {
    const account = checkEmptiable(view, accountId, partnerId)
    if (!account.ok) return account
    const wanted = startingHoldings(moment, cash, positions)
    if (!wanted.ok) return wanted
    const { at } = moment
    const posting = postingTo(view, accountId, wanted.value)
    return ok([
      ...cancelAll(view, accountId, at),
      { kind: 'accountReset', at, accountId, ...wanted.value, date: lastClosed(at), posting },
    ])
  },

  /**
   * Refuses while positions or open orders remain, unless `empty` is set. Remaining money moves to the bank.
   * Consents of apps for this account are revoked.
   */
  closeAccount(view, { at }, { accountId, partnerId, empty }) {
    const account = checkEmptiable(view, accountId, partnerId)
    if (!account.ok) return account
    const positions = view.positions.get(accountId)?.size ?? 0
    const openOrders = [...openOrdersOf(view, accountId)].length
    if (!empty && positions + openOrders > 0) return fail({ code: 'accountNotEmpty', positions, openOrders })
    const cash = cashOf(view, accountId)
    if (!empty && cash < NO_MONEY) return fail({ code: 'accountCashNegative', owed: format(-cash) })
    const posting = postingTo(view, accountId, { cash: NO_MONEY, positions: [] })
    return ok([
      ...cancelAll(view, accountId, at),
      ...grantsOn(view, accountId).map((grant) => grantRevoked(grant, at)),
      { kind: 'accountClosed', at, accountId, posting },
    ])
  },
} satisfies Deciders<ResetRefusal | CloseRefusal>

/** Refuses custody accounts, blocked accounts, and accounts with pending mint requests or book transfers. */
function checkEmptiable(
  view: View,
  id: AccountId,
  partnerId: PartnerId | undefined,
): Result<Account, EmptyRefusal> {
  const account = openAccountOf(view, id, partnerId)
  if (!account.ok) return account
  if (account.value.issuer !== undefined) return fail({ code: 'accountHoldsCustody' })
  // An account under review may still be closed.
  const { review: _, ...decided } = account.value
  const blocked = blockFault(decided, 'transfers', 'transfersBlocked')
  if (blocked) return fail(blocked)
  let count = 0
  for (const request of view.requests.values()) if (request.accountId === id && isPending(request)) count += 1
  if (count > 0) return fail({ code: 'mintsPending', count })
  // A rejected book transfer returns its money or shares to the account.
  const bookTransfers = pendingBookTransfersOf(view, id).length
  return bookTransfers > 0 ? fail({ code: 'journalsPending', count: bookTransfers }) : account
}

/** Pending replacements are rejected, and all other open orders are canceled. */
export function cancelAll(
  view: View,
  accountId: AccountId,
  at: Instant,
  why: OrderCanceled['why'] = 'asked',
): readonly OrderEvent[] {
  const cancels: OrderCanceled[] = []
  for (const { id: orderId, venue } of openOrdersOf(view, accountId))
    if (!venue?.awaits) cancels.push({ kind: 'orderCanceled', at, accountId, orderId, why })
  return withReplacementEnds(view, cancels)
}
