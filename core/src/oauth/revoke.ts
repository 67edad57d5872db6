import { definedFields } from '../defined-fields.ts'
import type { AccountId, AppId, GrantId, TokenId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { fail, found, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import { HOUR, type Instant } from '../time.ts'
import { type Grant, grantAccountOf, type Token } from './app.ts'
import { tokenOf } from './bearer.ts'
import { appByClientId, checkRequest, type OAuthRefusal } from './checks.ts'
import type {
  NoteGrantUse,
  RecordFailedAttemptLimit,
  RevokeAppToken,
  RevokeGrant,
  RevokeToken,
  WithdrawConsent,
} from './commands.ts'
import type {
  ConsentWithdrawn,
  FailedAttemptLimitReached,
  GrantRevoked,
  GrantUsed,
  TokenExpired,
  TokenRevoked,
} from './events.ts'

/** Revoking an unknown token, or a token of another partner's app, has no effect and no error. */
export function revokeToken(
  view: View,
  { at }: Moment,
  { partnerId, tokenId }: RevokeToken,
): Result<TokenRevoked[] | GrantRevoked[], never> {
  const token = view.tokens.get(tokenId)
  const grant = token && found(view.grants.get(token.grantId), token.grantId)
  if (!grant || !view.apps.get(grant.appId)?.partners.includes(partnerId)) return ok([])
  return ok(revoked(grant, token, at))
}

/** Revoking a refresh token revokes its whole grant. */
const revoked = (grant: Grant, token: Token, at: Instant): TokenRevoked[] | GrantRevoked[] =>
  token.refresh
    ? [grantRevoked(grant, at)]
    : [{ kind: 'tokenRevoked', ...ofGrant(grant, at), tokenId: token.id }]

export function revokeAppToken(
  view: View,
  { at }: Moment,
  request: RevokeAppToken,
): Result<TokenRevoked[] | GrantRevoked[], OAuthRefusal> {
  const checked = checkRequest(view, at, 'actAsApp', request)
  if (!checked.ok) return checked
  const token = tokenOf(view, request.token)
  const grant = token && found(view.grants.get(token.grantId), token.grantId)
  if (!token || grant?.appId !== checked.value.id) return ok([])
  return ok(revoked(grant, token, at))
}

/** Allowed for a partner that has the account or owns the app. */
export function revokeGrant(
  view: View,
  { at }: Moment,
  { partnerId, grantId }: RevokeGrant,
): Result<GrantRevoked[], OAuthRefusal> {
  const grant = view.grants.get(grantId)
  const isTheirs = grant && grantConcerns(view, grant, partnerId)
  return isTheirs ? ok([grantRevoked(grant, at)]) : fail({ code: 'oauthGrantNotFound' })
}

/** Whether a partner may see a grant: for its customer, or of its app. */
export const grantConcerns = (view: View, grant: Grant, partnerId: RevokeGrant['partnerId']): boolean =>
  view.apps.get(grant.appId)?.owner === partnerId ||
  [grant.live, grant.paper].some((id) => id !== undefined && view.accounts.get(id)?.partnerId === partnerId)

export function withdrawConsent(
  view: View,
  { at }: Moment,
  { userId, clientId }: WithdrawConsent,
): Result<ConsentWithdrawn[], OAuthRefusal> {
  const app = appByClientId(view, clientId)
  const grants = app ? grantsFor(view, userId).filter(({ appId }) => appId === app.id) : []
  if (!app || grants.length === 0) return fail({ code: 'oauthGrantNotFound' })
  return ok([{ kind: 'consentWithdrawn', at, userId, appId: app.id, ...revocationOf(grants) }])
}

/** All grants for this user's accounts, by the user or by a partner. */
export function grantsFor(view: View, userId: WithdrawConsent['userId']): Grant[] {
  const isTheirs = (id: Grant['live']) => id !== undefined && view.accounts.get(id)?.userId === userId
  return [...view.grants.values()].filter(({ live, paper }) => isTheirs(live) || isTheirs(paper))
}

export const grantsTo = (view: View, appId: AppId): Grant[] =>
  [...view.grants.values()].filter((grant) => grant.appId === appId)

/** The grants for an account. */
export const grantsOn = (view: View, accountId: AccountId): Grant[] =>
  [...view.grants.values()].filter(({ live, paper }) => live === accountId || paper === accountId)

export function revocationOf(grants: readonly Grant[]): {
  readonly grants: readonly GrantId[]
  readonly revoked: readonly TokenId[]
} {
  return { grants: grants.map(({ id }) => id), revoked: grants.flatMap(({ tokens }) => tokens) }
}

/** Submitted by the world's clock when the token expires. */
export function expireToken(
  view: View,
  { at }: Moment,
  { tokenId }: { readonly tokenId: TokenId },
): Result<[TokenExpired], never> {
  const { grantId } = found(view.tokens.get(tokenId), tokenId)
  return ok([{ kind: 'tokenExpired', ...ofGrant(found(view.grants.get(grantId), grantId), at), tokenId }])
}

/** Recorded at most hourly, to limit the size of the journal. */
export function noteGrantUse(
  view: View,
  { at }: Moment,
  { grantId }: NoteGrantUse,
): Result<GrantUsed[], never> {
  const grant = view.grants.get(grantId)
  if (!grant || (grant.lastUsedAt !== undefined && at - grant.lastUsedAt < HOUR)) return ok([])
  return ok([{ kind: 'grantUsed', ...ofGrant(grant, at) }])
}

export function recordFailedAttemptLimit(
  view: View,
  { at }: Moment,
  { where, userId, clientId }: RecordFailedAttemptLimit,
): Result<[FailedAttemptLimitReached], never> {
  const app = appByClientId(view, clientId)
  return ok([
    {
      kind: 'failedAttemptLimitReached',
      at,
      where,
      ...definedFields({ userId: userId && view.users.has(userId) ? userId : undefined, appId: app?.id }),
    },
  ])
}

const ofGrant = (grant: Grant, at: Instant) => ({ at, accountId: grantAccountOf(grant), grantId: grant.id })

export const grantRevoked = (grant: Grant, at: Instant): GrantRevoked => ({
  kind: 'grantRevoked',
  ...ofGrant(grant, at),
  revoked: grant.tokens,
})
