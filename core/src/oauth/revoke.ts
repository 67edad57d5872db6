import { definedFields } from '../defined-fields.ts'
import type { Deciders } from '../handlers.ts'
import type { AccountId, AppId, GrantId, PartnerId, TokenId, UserId } from '../ids.ts'
import { fail, found, ok } from '../result.ts'
import type { View } from '../state/state.ts'
import { HOUR, type Instant } from '../time.ts'
import { type Grant, grantAccountOf, type Token } from './app.ts'
import { tokenOf } from './bearer.ts'
import { appByClientId, checkRequest, type OAuthRefusal } from './checks.ts'
import type { GrantRevoked, TokenRevoked } from './events.ts'

export const revokeDeciders = {
  /** Revoking an unknown token, or a token of another partner's app, has no effect and no error. */
  revokeToken(view, { at }, { partnerId, tokenId }) {
    const token = view.tokens.get(tokenId)
    const grant = token && found(view.grants.get(token.grantId), token.grantId)
    if (!grant || !view.apps.get(grant.appId)?.partners.includes(partnerId)) return ok([])
    return ok(revoked(grant, token, at))
  },

  revokeAppToken(view, { at }, request) {
    const checked = checkRequest(view, at, 'actAsApp', request)
    if (!checked.ok) return checked
    const token = tokenOf(view, request.token)
    const grant = token && found(view.grants.get(token.grantId), token.grantId)
    if (!token || grant?.appId !== checked.value.id) return ok([])
    return ok(revoked(grant, token, at))
  },

  /** Allowed for a partner that has the account or owns the app. */
  revokeGrant(view, { at }, { partnerId, grantId }) {
    const grant = view.grants.get(grantId)
    const isTheirs = grant && grantConcerns(view, grant, partnerId)
    return isTheirs ? ok([grantRevoked(grant, at)]) : fail({ code: 'oauthGrantNotFound' })
  },

  withdrawConsent(view, { at }, { userId, clientId }) {
    const app = appByClientId(view, clientId)
    const grants = app ? grantsFor(view, userId).filter(({ appId }) => appId === app.id) : []
    if (!app || grants.length === 0) return fail({ code: 'oauthGrantNotFound' })
    return ok([{ kind: 'consentWithdrawn', at, userId, appId: app.id, ...revocationOf(grants) }])
  },

  /** Submitted by the world's clock when the token expires. */
  expireToken(view, { at }, { tokenId }) {
    const { grantId } = found(view.tokens.get(tokenId), tokenId)
    return ok([{ kind: 'tokenExpired', ...ofGrant(found(view.grants.get(grantId), grantId), at), tokenId }])
  },

  /** Recorded at most hourly, to limit the size of the journal. */
  noteGrantUse(view, { at }, { grantId }) {
    const grant = view.grants.get(grantId)
    if (!grant || (grant.lastUsedAt !== undefined && at - grant.lastUsedAt < HOUR)) return ok([])
    return ok([{ kind: 'grantUsed', ...ofGrant(grant, at) }])
  },

  recordFailedAttemptLimit(view, { at }, { where, userId, clientId }) {
    const app = appByClientId(view, clientId)
    return ok([
      {
        kind: 'failedAttemptLimitReached',
        at,
        where,
        ...definedFields({ userId: userId && view.users.has(userId) ? userId : undefined, appId: app?.id }),
      },
    ])
  },
} satisfies Deciders<OAuthRefusal>

/** Revoking a refresh token revokes its whole grant. */
const revoked = (grant: Grant, token: Token, at: Instant): TokenRevoked[] | GrantRevoked[] =>
  token.refresh
    ? [grantRevoked(grant, at)]
    : [{ kind: 'tokenRevoked', ...ofGrant(grant, at), tokenId: token.id }]

/** Whether a partner may see a grant: for its customer, or of its app. */
export const grantConcerns = (view: View, grant: Grant, partnerId: PartnerId): boolean =>
  view.apps.get(grant.appId)?.owner === partnerId ||
  [grant.live, grant.paper].some((id) => id !== undefined && view.accounts.get(id)?.partnerId === partnerId)

/** All grants for this user's accounts, by the user or by a partner. */
export function grantsFor(view: View, userId: UserId): Grant[] {
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

const ofGrant = (grant: Grant, at: Instant) => ({ at, accountId: grantAccountOf(grant), grantId: grant.id })

export const grantRevoked = (grant: Grant, at: Instant): GrantRevoked => ({
  kind: 'grantRevoked',
  ...ofGrant(grant, at),
  revoked: grant.tokens,
})
