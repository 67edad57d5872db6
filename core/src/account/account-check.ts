import type { AccountId, PartnerId } from '../ids.ts'
import { fail, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import type { Account } from './account.ts'

export type WhoseRefusal = { readonly code: 'accountNotFound' } | { readonly code: 'accountIsClosed' }

/** An account as this partner may see it; one that names no partner sees all. */
export function accountOf(view: View, id: AccountId, partnerId: PartnerId | undefined): Account | undefined {
  const account = view.accounts.get(id)
  return partnerId === undefined || account?.partnerId === partnerId ? account : undefined
}

/** The same, if anything may still happen in it. */
export function openAccountOf(
  view: View,
  id: AccountId,
  partnerId: PartnerId | undefined,
): Result<Account, WhoseRefusal> {
  const account = accountOf(view, id, partnerId)
  // Another's account is as good as none: that it exists is not ours to tell.
  if (!account) return fail({ code: 'accountNotFound' })
  return account.closedAt === undefined ? ok(account) : fail({ code: 'accountIsClosed' })
}
