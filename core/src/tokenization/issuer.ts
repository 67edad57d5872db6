import type { Moment } from '../moment.ts'
import { hasOpenOrders } from '../orders/open-orders.ts'
import { fail, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import type { KeepSigningKey, RegisterIssuer, SetBehaviour } from './commands.ts'
import type { BehaviourSet, IssuerRegistered, SigningKeyKept } from './events.ts'
import { tokensOut } from './multiplier.ts'
import type { Issuer, Listing } from './request.ts'

export type IssuerRefusal =
  | { readonly code: 'accountNotFound' }
  | { readonly code: 'issuerNotFound'; readonly issuer: string }
  | { readonly code: 'issuerAccountUnfit' }
  | { readonly code: 'issuerNotBuiltin'; readonly issuer: string }

/** Its account must be new to trading, so that what it holds is what stands behind the tokens and nothing else. */
export function registerIssuer(
  view: View,
  { at }: Moment,
  { code, name, accountId, listings, outside, redemptionWallets }: RegisterIssuer,
): Result<[IssuerRegistered], IssuerRefusal> {
  const account = view.accounts.get(accountId)
  if (!account) return fail({ code: 'accountNotFound' })
  const known = view.issuers.get(code)
  const isFit = known
    ? known.accountId === accountId
    : account.issuer === undefined && !view.positions.get(accountId)?.size && !hasOpenOrders(view, accountId)
  if (!isFit) return fail({ code: 'issuerAccountUnfit' })
  const { apiKey, ...told } = outside ?? {}
  const issuer: Issuer = {
    ...(known?.custody ? { custody: known.custody } : {}),
    ...(known?.keepers ? { keepers: known.keepers } : {}),
    ...(known?.behaviour ? { behaviour: known.behaviour } : {}),
    code,
    name,
    accountId,
    mode: outside ? 'external' : 'builtin',
    listings: [...keptMultipliers(known, listings), ...stillOut(view, known, listings)],
    ...told,
    ...(redemptionWallets ? { redemptionWallets } : {}),
  }
  return ok([{ kind: 'issuerRegistered', at, accountId, issuer, ...(apiKey ? { sealed: { apiKey } } : {}) }])
}

/** A list of tokens says nothing of what splits have done. */
const keptMultipliers = (known: Issuer | undefined, listings: readonly Listing[]): readonly Listing[] =>
  listings.map((listing) => {
    const multiplier = known?.listings.find(
      ({ underlying, tokenSymbol }) =>
        underlying === listing.underlying && tokenSymbol === listing.tokenSymbol,
    )?.multiplier
    return multiplier ? { ...listing, multiplier } : listing
  })

/** Tokens that are listed no more cannot be minted, and those that exist can still be redeemed. */
const stillOut = (view: View, known: Issuer | undefined, listings: readonly Listing[]): readonly Listing[] =>
  (known?.listings ?? [])
    .filter(({ tokenSymbol }) => !listings.some((listing) => listing.tokenSymbol === tokenSymbol))
    .filter(({ underlying }) => known && tokensOut(view, known, underlying) > 0n)
    .map((listing) => ({ ...listing, networks: [] }))

/** What happens to requests from here on. */
export function setBehaviour(
  view: View,
  { at }: Moment,
  { issuer: code, behaviour }: SetBehaviour,
): Result<[BehaviourSet], IssuerRefusal> {
  const issuer = view.issuers.get(code)
  if (!issuer) return fail({ code: 'issuerNotFound', issuer: code })
  if (issuer.mode !== 'builtin') return fail({ code: 'issuerNotBuiltin', issuer: code })
  return ok([{ kind: 'behaviourSet', at, issuer: code, behaviour }])
}

/** The last one kept is the one that signs. */
export const keepSigningKey = (
  _view: View,
  { at }: Moment,
  { keyId, publicKey, privateKey }: KeepSigningKey,
): Result<[SigningKeyKept], never> =>
  ok([{ kind: 'signingKeyKept', at, sealed: { keyId, publicKey, privateKey } }])
