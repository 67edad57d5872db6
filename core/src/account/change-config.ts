import type { AccountId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import { type AccountConfig, configOf } from './config.ts'
import type { ConfigChanged } from './events.ts'

/** Fields that are not named stay unchanged. */
export type ChangeConfig = {
  readonly kind: 'changeConfig'
  readonly accountId: AccountId
  readonly changes: Partial<AccountConfig>
}

export function changeConfig(
  view: View,
  { at }: Moment,
  { accountId, changes }: ChangeConfig,
): Result<ConfigChanged[], { readonly code: 'accountNotFound' }> {
  const account = view.accounts.get(accountId)
  if (!account) return fail({ code: 'accountNotFound' })
  const before = configOf(account)
  const config = { ...before, ...changes }
  const names = Object.keys(config) as (keyof AccountConfig)[]
  if (names.every((name) => config[name] === before[name])) return ok([])
  return ok([{ kind: 'configChanged', at, accountId, config }])
}
