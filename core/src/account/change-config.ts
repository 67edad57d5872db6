import type { Decider } from '../handlers.ts'
import { keysOf } from '../records.ts'
import { fail, ok } from '../result.ts'
import { configOf } from './config.ts'

export const changeConfig: Decider<'changeConfig', { readonly code: 'accountNotFound' }> = (
  view,
  { at },
  { accountId, changes },
) => {
  const account = view.accounts.get(accountId)
  if (!account) return fail({ code: 'accountNotFound' })
  const before = configOf(account)
  const config = { ...before, ...changes }
  const names = keysOf(config)
  if (names.every((name) => config[name] === before[name])) return ok([])
  return ok([{ kind: 'configChanged', at, accountId, config }])
}
