import type { AccountId, PartnerId } from '../ids.ts'
import { fail, ok, type Result } from '../result.ts'
import type { View } from '../state/state.ts'
import type { Account } from './account.ts'

export type AccountAccessRefusal = { readonly code: 'accountNotFound' } | { readonly code: 'accountIsClosed' }

/**
 * Returns the account if this partner may access it. Without a partner (an operator), every account is
 * accessible.
 */
export function accountOf(view: View, id: AccountId, partnerId: PartnerId | undefined): Account | undefined {
  const account = view.accounts.get(id)
  return partnerId === undefined || account?.partnerId === partnerId ? account : undefined
}

/** Returns the account only if it is still open. */
export function openAccountOf(
  view: View,
  id: AccountId,
  partnerId: PartnerId | undefined,
): Result<Account, AccountAccessRefusal> {
  const account = accountOf(view, id, partnerId)
  // Another partner's account returns "not found", so that its existence is not revealed.
  if (!account) return fail({ code: 'accountNotFound' })
  return account.closedAt === undefined ? ok(account) : fail({ code: 'accountIsClosed' })
}
