import type { TokenId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { fail, found, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import { type App, type Grant, grantAccountOf, type Token } from './app.ts'
import { accessibleAccounts } from './bearer.ts'
import { checkRequest, needsChallenge, type OAuthRefusal } from './checks.ts'
import type { ExchangeCode, RefreshToken } from './commands.ts'
import type { CodeExchanged, CodeReplayed, RefreshReplayed, TokenRefreshed } from './events.ts'
import { GRANT_TOKENS_MAX, REFRESH_GRACE, tokenExpiryOf } from './lifetimes.ts'
import { parseScope } from './scopes.ts'

/**
 * Exchanges a code. Reuse of a code revokes the tokens it issued: that is an event, not a refusal, and the
 * caller gets no token.
 */
export function exchangeCode(
  view: View,
  moment: Moment,
  ask: ExchangeCode,
): Result<[CodeExchanged] | [CodeReplayed], OAuthRefusal> {
  const { at } = moment
  const checked = checkRequest(view, at, 'actAsApp', ask)
  if (!checked.ok) return checked
  const app = checked.value
  const code = view.codes.get(ask.code)
  const grant = code && view.grants.get(code.grantId)
  const isBound =
    code?.appId === app.id &&
    code.redirectUri === ask.redirectUri &&
    code.challenge === ask.challenge &&
    // The app may require PKCE only since then.
    (code.challenge !== undefined || !needsChallenge(app))
  if (!grant || !isBound) return fail({ code: 'oauthCodeInvalid' })
  const of = { at, accountId: grantAccountOf(grant), grantId: grant.id }
  if (code.used) return ok([{ kind: 'codeReplayed', ...of, revoked: grant.tokens }])
  if (code.expiresAt <= at || !accessibleAccounts(view, app, grant)) return fail({ code: 'oauthCodeInvalid' })
  const { ids, sealed } = tokenPairOf(view, moment, app, grant, ask)
  return ok([{ kind: 'codeExchanged', ...of, ...ids, sealed: { code: ask.code, ...sealed } }])
}

/**
 * Refreshes a token. A refresh token works once, and once more within the grace period. Any other reuse is
 * treated as theft and revokes the whole grant.
 */
export function refreshToken(
  view: View,
  moment: Moment,
  ask: RefreshToken,
): Result<[TokenRefreshed] | [RefreshReplayed], OAuthRefusal> {
  const { at } = moment
  const checked = checkRequest(view, at, 'actAsApp', ask)
  if (!checked.ok) return checked
  const app = checked.value
  const given = tokenOf(view, ask.current)
  const grant = given?.refresh && view.grants.get(given.grantId)
  if (!given || !grant || grant.appId !== app.id) return fail({ code: 'oauthCodeInvalid' })
  const of = { at, accountId: grantAccountOf(grant), grantId: grant.id }
  const isRepeated =
    given.refresh === 'used' && at < found(given.usedAt, 'the time of its use') + REFRESH_GRACE
  if (given.refresh !== 'fresh' && !isRepeated)
    return ok([{ kind: 'refreshReplayed', ...of, revoked: grant.tokens }])
  const isOver = given.expiresAt !== undefined && given.expiresAt <= at
  if (isOver || !accessibleAccounts(view, app, grant)) return fail({ code: 'oauthCodeInvalid' })
  const narrowed = narrowedTo(grant, ask.scope)
  if (narrowed === 'tooMuch') return fail({ code: 'oauthScopeInvalid' })
  const { ids, sealed } = tokenPairOf(view, moment, app, grant, ask)
  const less = narrowed ? { narrowed } : {}
  const dropped = grant.tokens.slice(0, Math.max(0, grant.tokens.length + 2 - GRANT_TOKENS_MAX))
  const more = {
    ...(isRepeated ? { repeated: true as const } : {}),
    ...(dropped.length > 0 ? { dropped } : {}),
  }
  return ok([{ kind: 'tokenRefreshed', ...of, usedId: given.id, ...ids, ...less, ...more, sealed }])
}

export function tokenOf(view: View, digest: RefreshToken['current']): Token | undefined {
  const id = view.tokenDigests.get(digest)
  return id && view.tokens.get(id)
}

function narrowedTo(grant: Grant, scopeText: string | undefined): Token['narrowed'] | 'tooMuch' {
  if (scopeText === undefined || scopeText === grant.scopeText) return undefined
  const asked = parseScope(scopeText)
  if (!asked.ok || !asked.value.every((scope) => grant.scopes.includes(scope))) return 'tooMuch'
  return { scopes: asked.value, scopeText }
}

/** Ids and expiry of the issued tokens; a refresh token only if the app's tokens expire. */
function tokenPairOf(
  view: View,
  { at, id }: Moment,
  app: App,
  grant: Grant,
  { token, refresh }: Pick<ExchangeCode, 'token' | 'refresh'>,
) {
  const accountId = grantAccountOf(grant)
  const { events } = found(view.accounts.get(accountId), accountId)
  const tokenId = id(accountId, events, 0) as TokenId
  const ends = tokenExpiryOf(app, at)
  if (!ends) return { ids: { tokenId }, sealed: { token } }
  if (!refresh) return { ids: { tokenId, expiresAt: ends.expiresAt }, sealed: { token } }
  const refreshId = id(accountId, events, 1) as TokenId
  return { ids: { tokenId, refreshId, ...ends }, sealed: { token, refresh } }
}
