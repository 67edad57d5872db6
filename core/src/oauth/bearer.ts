import type { Account } from '../account/account.ts'
import type { AccountId, Digest, PartnerId } from '../ids.ts'
import { found } from '../result.ts'
import type { View } from '../state/state.ts'
import type { Instant } from '../time.ts'
import { type App, type Grant, mayConnectLive, type Token } from './app.ts'
import { checkRequest } from './checks.ts'
import type { AppRequest } from './commands.ts'
import { type Scope, scopesWithin, scopeTextWithin } from './scopes.ts'

/** The accounts a grant gives access to at this moment. */
type OpenAccounts = { readonly live: AccountId | undefined; readonly paper: AccountId | undefined }

/** The effective rights of a token at this moment: limited by its grant and its app. */
export type Bearer = OpenAccounts & {
  readonly app: App
  readonly grant: Grant
  readonly token: Token
  readonly scopes: readonly Scope[]
}

/**
 * The accounts that an app may act on for a grant. None while the app or the user is disabled; no live
 * account while the app is not approved. All accounts of a grant belong to one user, or to nobody.
 */
export function accessibleAccounts(view: View, app: App, { live, paper }: Grant): OpenAccounts | undefined {
  const { userId } = accountIn(view, live ?? paper)
  const isDisabled = userId !== undefined && view.users.get(userId)?.disabled
  const open = live !== undefined && mayConnectLive(app, userId) ? live : undefined
  if (app.status !== 'active' || isDisabled || (open === undefined && paper === undefined)) return undefined
  return { live: open, paper }
}

const accountIn = (view: View, id: AccountId | undefined): Account =>
  found(id && view.accounts.get(id), 'an account of the grant')

/** The effective rights of a token, if any. */
export function rightsOf(view: View, token: Token): Bearer | undefined {
  const grant = found(view.grants.get(token.grantId), token.grantId)
  const app = found(view.apps.get(grant.appId), grant.appId)
  const open = accessibleAccounts(view, app, grant)
  if (!open) return undefined
  const scopes = scopesWithin(token.narrowed?.scopes ?? grant.scopes, app.scopes)
  return { app, grant, token, scopes, live: open.live, paper: open.paper }
}

export const scopeTextOf = ({ app, grant, token }: Pick<Bearer, 'app' | 'grant' | 'token'>): string =>
  scopeTextWithin(token.narrowed?.scopeText ?? grant.scopeText, app.scopes)

/** The rights of an access token; undefined if it has expired or gives no access. */
export function bearerOf(view: View, digest: Digest, at: Instant): Bearer | undefined {
  const id = view.tokenDigests.get(digest)
  if (id === undefined) return undefined
  const token = found(view.tokens.get(id), id)
  if (token.refresh || (token.expiresAt !== undefined && token.expiresAt <= at)) return undefined
  return rightsOf(view, token)
}

/** An access or refresh token by its digest, whether valid or not. */
export function tokenOf(view: View, digest: Digest): Token | undefined {
  const id = view.tokenDigests.get(digest)
  return id && view.tokens.get(id)
}

/** The app that introspects a token. It must authenticate with a secret (RFC 7662). */
export const introspectingApp = (view: View, at: Instant, request: Pick<AppRequest, 'clientId' | 'secret'>) =>
  checkRequest(view, at, 'introspect', request)

/** The caller of an introspection: the token's app, a partner that may use the app, or an operator. */
export type Introspector =
  | { readonly kind: 'app'; readonly app: App }
  | { readonly kind: 'partner'; readonly partnerId: PartnerId }
  | { readonly kind: 'operator' }

/** An access or refresh token that is valid now; undefined if it is not, or if the caller may not see it. */
export function validToken(
  view: View,
  at: Instant,
  digest: Digest,
  caller: Introspector,
): Bearer | undefined {
  const token = tokenOf(view, digest)
  if (
    !token ||
    token.refresh === 'used' ||
    token.refresh === 'spent' ||
    (token.expiresAt !== undefined && token.expiresAt <= at)
  )
    return undefined
  const rights = rightsOf(view, token)
  return rights && maySee(caller, rights.app) ? rights : undefined
}

function maySee(caller: Introspector, app: App): boolean {
  switch (caller.kind) {
    case 'app':
      return caller.app.id === app.id
    case 'partner':
      return app.partners.includes(caller.partnerId)
    case 'operator':
      return true
  }
}
