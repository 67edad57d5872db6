import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import type { LinkAccount, RegisterIssuer } from './commands.ts'
import type { AccountLinked, IssuerRegistered } from './events.ts'
import { linkKey } from './request.ts'

export type LinkRefusal =
  | { readonly code: 'accountNotFound' }
  | { readonly code: 'issuerNotFound'; readonly issuer: string }
  | { readonly code: 'issuerAccountUnfit' }

/** Its account must be new to trading, so that what it holds is what stands behind the tokens and nothing else. */
export function registerIssuer(
  view: View,
  { at }: Moment,
  { code, name, accountId, listings }: RegisterIssuer,
): Result<[IssuerRegistered], LinkRefusal> {
  const account = view.accounts.get(accountId)
  if (!account) return fail({ code: 'accountNotFound' })
  const known = view.issuers.get(code)
  const isFit = known
    ? known.accountId === accountId
    : account.issuer === undefined &&
      !view.positions.get(accountId)?.size &&
      !view.openOrders.get(accountId)?.size
  if (!isFit) return fail({ code: 'issuerAccountUnfit' })
  const issuer = { code, name, accountId, mode: 'builtin', listings } as const
  return ok([{ kind: 'issuerRegistered', at, accountId, issuer }])
}

/** Linking twice is linking once. */
export function linkAccount(
  view: View,
  { at }: Moment,
  { link }: LinkAccount,
): Result<AccountLinked[], LinkRefusal> {
  const account = view.accounts.get(link.accountId)
  if (!account) return fail({ code: 'accountNotFound' })
  if (!view.issuers.has(link.issuer)) return fail({ code: 'issuerNotFound', issuer: link.issuer })
  if (account.issuer !== undefined) return fail({ code: 'issuerAccountUnfit' })
  if (view.links.has(linkKey(account.id, link.issuer))) return ok([])
  return ok([{ kind: 'accountLinked', at, accountId: account.id, link }])
}
