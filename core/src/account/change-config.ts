import type { Decider } from '../handlers.ts'
import { fail, ok } from '../result.ts'
import { type AccountConfig, configOf } from './config.ts'

export const changeConfig: Decider<'changeConfig', { readonly code: 'accountNotFound' }> = (
  view,
  { at },
  { accountId, changes },
) => {
  const account = view.accounts.get(accountId)
  if (!account) return fail({ code: 'accountNotFound' })
  const before = configOf(account)
  const config = { ...before, ...changes }
  const names = Object.keys(config) as (keyof AccountConfig)[]
  if (names.every((name) => config[name] === before[name])) return ok([])
  return ok([{ kind: 'configChanged', at, accountId, config }])
}
