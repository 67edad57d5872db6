import type { AccountId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import type { Instant } from '../time.ts'
import type { Account } from './account.ts'

/** What an account's owner has chosen. */
export type AccountConfig = {
  /** Shares in parts, and dollars instead of shares. */
  readonly fractionalTrading: boolean
  /** The most that margin may multiply; 1 is no margin at all. */
  readonly maxMarginMultiplier: 1 | 2 | 4
  readonly noShorting: boolean
  /** New orders are refused. */
  readonly suspendTrade: boolean
  readonly tradeConfirmEmail: 'all' | 'none'
  readonly ptpNoExceptionEntry: boolean
  /** Absent: as far as the account is approved. */
  readonly maxOptionsTradingLevel?: 0 | 1 | 2 | 3
  readonly disableOvernightTrading: boolean
}

export const DEFAULT_CONFIG: AccountConfig = {
  fractionalTrading: true,
  maxMarginMultiplier: 4,
  noShorting: false,
  suspendTrade: false,
  tradeConfirmEmail: 'all',
  ptpNoExceptionEntry: false,
  disableOvernightTrading: false,
}

export const configOf = ({ config }: Pick<Account, 'config'>): AccountConfig => config ?? DEFAULT_CONFIG

/** What is not named stays as it is. */
export type ChangeConfig = {
  readonly kind: 'changeConfig'
  readonly accountId: AccountId
  readonly changes: Partial<AccountConfig>
}

export type ConfigChanged = {
  readonly kind: 'configChanged'
  readonly at: Instant
  readonly accountId: AccountId
  /** All of it, as it is from here on. */
  readonly config: AccountConfig
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
