import type { AccountId, GrantId, TokenId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { fail, found, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import { type Instant, MINUTE } from '../time.ts'
import { type App, accountOf, type Grant } from './app.ts'
import { accountAsked, checkAsk, type OAuthRefusal, scopesAsked } from './checks.ts'
import type { AuthorizeApp, ExchangeCode, IssueToken, PartnerAsk, RevokeToken } from './commands.ts'
import type { CodeExchanged, CodeIssued, CodeReplayed, TokenIssued, TokenRevoked } from './events.ts'

const CODE_LIFE = MINUTE

export function authorizeApp(
  view: View,
  moment: Moment,
  ask: AuthorizeApp,
): Result<[CodeIssued], OAuthRefusal> {
  const checked = checkAsk(view, 'authorizeApp', ask)
  if (!checked.ok) return checked
  const { accountId, grant } = grantOf(view, moment, checked.value, ask)
  return ok([
    {
      kind: 'codeIssued',
      at: moment.at,
      accountId,
      grant,
      redirectUri: found(ask.redirectUri, 'the redirect URI'),
      expiresAt: (moment.at + CODE_LIFE) as Instant,
      sealed: { code: ask.code },
    },
  ])
}

export function issueToken(view: View, moment: Moment, ask: IssueToken): Result<[TokenIssued], OAuthRefusal> {
  const checked = checkAsk(view, 'issueToken', ask)
  if (!checked.ok) return checked
  const { accountId, grant, nextId } = grantOf(view, moment, checked.value, ask)
  return ok([
    {
      kind: 'tokenIssued',
      at: moment.at,
      accountId,
      grant,
      tokenId: nextId as TokenId,
      sealed: { token: ask.token },
    },
  ])
}

/**
 * A code serves once. One that comes again takes back the token it gave: that is an event, not a refusal, and the
 * caller gets no token by it.
 */
export function exchangeCode(
  view: View,
  { at, id }: Moment,
  ask: ExchangeCode,
): Result<[CodeExchanged] | [CodeReplayed], OAuthRefusal> {
  const checked = checkAsk(view, 'exchangeCode', ask)
  if (!checked.ok) return checked
  const code = view.codes.get(ask.code)
  const grant = code && view.grants.get(code.grantId)
  const isBound = code?.appId === checked.value.id && code.redirectUri === ask.redirectUri
  if (!grant || !isBound || code.expiresAt <= at) return fail({ code: 'oauthCodeInvalid' })
  const accountId = accountOf(grant)
  const of = { at, accountId, grantId: grant.id }
  if (code.used) return ok([{ kind: 'codeReplayed', ...of, revoked: grant.tokens }])
  const tokenId = id(accountId, found(view.accounts.get(accountId), accountId).events, 0) as TokenId
  return ok([{ kind: 'codeExchanged', ...of, tokenId, sealed: { code: ask.code, token: ask.token } }])
}

/** A token nobody knows, or of an app that is not the caller's, is as good as revoked. */
export function revokeToken(
  view: View,
  { at }: Moment,
  { partnerId, tokenId }: RevokeToken,
): Result<TokenRevoked[], never> {
  const token = view.tokens.get(tokenId)
  const grant = token && found(view.grants.get(token.grantId), token.grantId)
  if (!grant || !view.apps.get(grant.appId)?.partners.includes(partnerId)) return ok([])
  return ok([{ kind: 'tokenRevoked', at, accountId: accountOf(grant), grantId: grant.id, tokenId }])
}

function grantOf(
  view: View,
  { at, id }: Moment,
  app: App,
  ask: PartnerAsk,
): { readonly accountId: AccountId; readonly grant: Grant; readonly nextId: string } {
  const account = found(accountAsked(view, ask), 'the account')
  const grant: Grant = {
    id: id(account.id, account.events, 0) as GrantId,
    appId: app.id,
    [account.flavour]: account.id,
    scopes: found(scopesAsked(app, ask.scope), 'the scope'),
    scopeText: found(ask.scope, 'the scope'),
    tokens: [],
    createdAt: at,
  }
  return { accountId: account.id, grant, nextId: id(account.id, account.events, 1) }
}
