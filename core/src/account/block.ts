import { definedFields } from '../defined-fields.ts'
import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import { type AccountAccessRefusal, openAccountOf } from './account-check.ts'
import type { BlockAccount, UnblockAccount } from './partner/commands.ts'
import type { AccountBlocked, AccountUnblocked } from './partner/events.ts'

export function blockAccount(
  view: View,
  { at }: Moment,
  { accountId, partnerId, blocks, reason }: BlockAccount,
): Result<AccountBlocked[], AccountAccessRefusal | { readonly code: 'accountHoldsCustody' }> {
  const account = openAccountOf(view, accountId, partnerId)
  if (!account.ok) return account
  // Custody accounts cannot act anyway, and the token holders must still receive their shares.
  if (account.value.issuer !== undefined) return fail({ code: 'accountHoldsCustody' })
  const before = account.value.blocks ?? {}
  const changed = blocks.filter((kind) => !before[kind] || before[kind].reason !== reason)
  if (changed.length === 0) return ok([])
  return ok([{ kind: 'accountBlocked', at, accountId, blocks: changed, ...definedFields({ reason }) }])
}

export function unblockAccount(
  view: View,
  { at }: Moment,
  { accountId, partnerId, blocks, reason }: UnblockAccount,
): Result<AccountUnblocked[], AccountAccessRefusal> {
  const account = openAccountOf(view, accountId, partnerId)
  if (!account.ok) return account
  const lifted = blocks.filter((kind) => account.value.blocks?.[kind])
  if (lifted.length === 0) return ok([])
  return ok([{ kind: 'accountUnblocked', at, accountId, blocks: lifted, ...definedFields({ reason }) }])
}
