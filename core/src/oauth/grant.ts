import type { Flavour } from '../account/account.ts'
import { definedFields } from '../defined-fields.ts'
import type { Deciders } from '../handlers.ts'
import type { AccountId, GrantId, NewId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { fail, found, ok } from '../result.ts'
import type { View } from '../state/state.ts'
import { later } from '../time.ts'
import { owns } from '../users/find-user.ts'
import { type App, type Grant, grantAccountOf, mayConnectLive } from './app.ts'
import {
  appByClientId,
  checkRequest,
  type OAuthRefusal,
  requestedAccount,
  requestedScopes,
} from './checks.ts'
import type { Consent, PartnerRequest } from './commands.ts'
import type { CodeIssued } from './events.ts'
import { CODE_LIFETIME, tokenExpiryOf } from './lifetimes.ts'

export const grantDeciders = {
  authorizeApp(view, moment, request) {
    const checked = checkRequest(view, moment.at, 'authorizeApp', request)
    if (!checked.ok) return checked
    return ok([codeFor(moment, grantOf(view, moment, checked.value, request).grant, request)])
  },

  issueToken(view, moment, request) {
    const checked = checkRequest(view, moment.at, 'issueToken', request)
    if (!checked.ok) return checked
    const { grant, nextId } = grantOf(view, moment, checked.value, request)
    const ends = tokenExpiryOf(checked.value, moment.at)
    return ok([
      {
        kind: 'tokenIssued',
        at: moment.at,
        accountId: grantAccountOf(grant),
        grant,
        tokenId: nextId,
        ...definedFields({ expiresAt: ends?.expiresAt }),
        sealed: { token: request.token },
      },
    ])
  },

  /** A user allows an app. Live accounts require an approved app, or its developer. */
  consent(view, moment, request) {
    const checked = checkRequest(view, moment.at, 'requestConsent', request)
    if (!checked.ok) return checked
    const app = checked.value
    const { userId, live, paper, ofMain } = request
    const user = view.users.get(userId)
    if (!user || user.disabled) return fail({ code: 'userNotFound' })
    const mayUse = (flavour: Flavour, id: AccountId | undefined) =>
      id === undefined || (owns(view, userId, id) && view.accounts.get(id)?.flavour === flavour)
    const first = live ?? paper
    const areOwned = mayUse('live', live) && mayUse('paper', paper)
    if (!first || !areOwned || (live && !mayConnectLive(app, userId)))
      return fail({ code: 'oauthAccountInvalid' })
    const grant: Grant = {
      id: grantId(view, moment, first),
      appId: app.id,
      userId,
      ...definedFields({ live, paper, ofMain }),
      scopes: found(requestedScopes(app, request.scope), 'the scope'),
      scopeText: request.scope,
      tokens: [],
      createdAt: moment.at,
    }
    return ok([codeFor(moment, grant, request)])
  },

  refuseConsent(view, { at }, { userId, clientId }) {
    const app = appByClientId(view, clientId)
    if (!app) return fail({ code: 'oauthClientRefused' })
    if (!view.users.has(userId)) return fail({ code: 'userNotFound' })
    return ok([{ kind: 'consentRefused', at, userId, appId: app.id }])
  },
} satisfies Deciders<OAuthRefusal>

type CodeRequest = Pick<Consent, 'redirectUri' | 'challenge' | 'code'>

function codeFor({ at }: Moment, grant: Grant, { redirectUri, challenge, code }: CodeRequest): CodeIssued {
  return {
    kind: 'codeIssued',
    at,
    accountId: grantAccountOf(grant),
    grant,
    redirectUri: found(redirectUri, 'the redirect URI'),
    expiresAt: later(at, CODE_LIFETIME),
    ...definedFields({ challenge }),
    sealed: { code },
  }
}

function grantOf(
  view: View,
  moment: Moment,
  app: App,
  request: PartnerRequest,
): { readonly grant: Grant; readonly nextId: NewId } {
  const account = found(requestedAccount(view, app, request), 'the account')
  const grant: Grant = {
    id: grantId(view, moment, account.id),
    appId: app.id,
    [account.flavour]: account.id,
    scopes: found(requestedScopes(app, request.scope), 'the scope'),
    scopeText: found(request.scope, 'the scope'),
    tokens: [],
    createdAt: moment.at,
  }
  return { grant, nextId: moment.id(account.id, account.events, 1) }
}

const grantId = (view: View, { id }: Moment, accountId: AccountId): GrantId =>
  id(accountId, found(view.accounts.get(accountId), accountId).events, 0)
