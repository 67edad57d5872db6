import { definedFields } from '../defined-fields.ts'
import type { Deciders } from '../handlers.ts'
import { fail, ok } from '../result.ts'
import { type AccountAccessRefusal, openAccountOf } from './account-check.ts'

export const blockDeciders = {
  blockAccount(view, { at }, { accountId, partnerId, blocks, reason }) {
    const account = openAccountOf(view, accountId, partnerId)
    if (!account.ok) return account
    // Custody accounts cannot act anyway, and the token holders must still receive their shares.
    if (account.value.issuer !== undefined) return fail({ code: 'accountHoldsCustody' })
    const before = account.value.blocks ?? {}
    const changed = blocks.filter((kind) => !before[kind] || before[kind].reason !== reason)
    if (changed.length === 0) return ok([])
    return ok([{ kind: 'accountBlocked', at, accountId, blocks: changed, ...definedFields({ reason }) }])
  },

  unblockAccount(view, { at }, { accountId, partnerId, blocks, reason }) {
    const account = openAccountOf(view, accountId, partnerId)
    if (!account.ok) return account
    const lifted = blocks.filter((kind) => account.value.blocks?.[kind])
    if (lifted.length === 0) return ok([])
    return ok([{ kind: 'accountUnblocked', at, accountId, blocks: lifted, ...definedFields({ reason }) }])
  },
} satisfies Deciders<AccountAccessRefusal | { readonly code: 'accountHoldsCustody' }>
