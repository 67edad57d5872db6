import { definedFields } from '../defined-fields.ts'
import type { Deciders } from '../handlers.ts'
import type { Moment } from '../moment.ts'
import { fail, found, ok } from '../result.ts'
import type { View } from '../state/state.ts'
import { type App, type Grant, grantAccountOf, type Token } from './app.ts'
import { accessibleAccounts, tokenOf } from './bearer.ts'
import { checkRequest, needsChallenge, type OAuthRefusal } from './checks.ts'
import type { ExchangeCode } from './commands.ts'
import { GRANT_TOKENS_MAX, REFRESH_GRACE, tokenExpiryOf } from './lifetimes.ts'
import { parseScope } from './scopes.ts'

export const exchangeDeciders = {
  /**
   * Exchanges a code. Reuse of a code revokes the tokens it issued: that is an event, not a refusal, and the
   * caller gets no token.
   */
  exchangeCode(view, moment, request) {
    const { at } = moment
    const checked = checkRequest(view, at, 'actAsApp', request)
    if (!checked.ok) return checked
    const app = checked.value
    const code = view.codes.get(request.code)
    const grant = code && view.grants.get(code.grantId)
    const isBound =
      code?.appId === app.id &&
      code.redirectUri === request.redirectUri &&
      code.challenge === request.challenge &&
      // The app may require PKCE only since the code was issued.
      (code.challenge !== undefined || !needsChallenge(app))
    if (!grant || !isBound) return fail({ code: 'oauthCodeInvalid' })
    const of = { at, accountId: grantAccountOf(grant), grantId: grant.id }
    if (code.used) return ok([{ kind: 'codeReplayed', ...of, revoked: grant.tokens }])
    if (code.expiresAt <= at || !accessibleAccounts(view, app, grant))
      return fail({ code: 'oauthCodeInvalid' })
    const { ids, sealed } = tokenPairOf(view, moment, app, grant, request)
    return ok([{ kind: 'codeExchanged', ...of, ...ids, sealed: { code: request.code, ...sealed } }])
  },

  /**
   * Refreshes a token. A refresh token works once, and once more within the grace period. Any other reuse is
   * treated as theft and revokes the whole grant.
   */
  refreshToken(view, moment, request) {
    const { at } = moment
    const checked = checkRequest(view, at, 'actAsApp', request)
    if (!checked.ok) return checked
    const app = checked.value
    const token = tokenOf(view, request.current)
    const grant = token?.refresh && view.grants.get(token.grantId)
    if (!token || !grant || grant.appId !== app.id) return fail({ code: 'oauthCodeInvalid' })
    const of = { at, accountId: grantAccountOf(grant), grantId: grant.id }
    const isRepeated =
      token.refresh === 'used' && at < found(token.usedAt, 'the time of its use') + REFRESH_GRACE
    if (token.refresh !== 'fresh' && !isRepeated)
      return ok([{ kind: 'refreshReplayed', ...of, revoked: grant.tokens }])
    const isOver = token.expiresAt !== undefined && token.expiresAt <= at
    if (isOver || !accessibleAccounts(view, app, grant)) return fail({ code: 'oauthCodeInvalid' })
    const narrowed = narrowedTo(grant, request.scope)
    if (narrowed === 'tooMuch') return fail({ code: 'oauthScopeInvalid' })
    const { ids, sealed } = tokenPairOf(view, moment, app, grant, request)
    const dropped = grant.tokens.slice(0, Math.max(0, grant.tokens.length + 2 - GRANT_TOKENS_MAX))
    return ok([
      {
        kind: 'tokenRefreshed',
        ...of,
        usedId: token.id,
        ...ids,
        ...definedFields({ narrowed, repeated: isRepeated ? (true as const) : undefined }),
        dropped,
        sealed,
      },
    ])
  },
} satisfies Deciders<OAuthRefusal>

function narrowedTo(grant: Grant, scopeText: string | undefined): Token['narrowed'] | 'tooMuch' {
  if (scopeText === undefined || scopeText === grant.scopeText) return undefined
  const requested = parseScope(scopeText)
  if (!requested.ok || !requested.value.every((scope) => grant.scopes.includes(scope))) return 'tooMuch'
  return { scopes: requested.value, scopeText }
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
  const tokenId = id(accountId, events, 0)
  const ends = tokenExpiryOf(app, at)
  if (!ends) return { ids: { tokenId }, sealed: { token } }
  if (!refresh) return { ids: { tokenId, expiresAt: ends.expiresAt }, sealed: { token } }
  const refreshId = id(accountId, events, 1)
  return { ids: { tokenId, refreshId, ...ends }, sealed: { token, refresh } }
}
