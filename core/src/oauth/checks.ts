import type { Account } from '../account/account.ts'
import { digestOfHex, newIdOf } from '../ids.ts'
import { fail, lookUp, ok, type Result } from '../result.ts'
import type { View } from '../state/state.ts'
import { EPOCH, type Instant } from '../time.ts'
import { type App, clientIdOf, mayConnectLive } from './app.ts'
import type { AppRequest, PartnerRequest, UserRequest } from './commands.ts'
import { matchesRedirectUri } from './redirect.ts'
import { parseScope, type Scope } from './scopes.ts'

/**
 * All client-authentication failures return the same refusal, so that nobody can probe for apps or secrets.
 */
export type OAuthRefusal =
  | { readonly code: 'oauthClientRefused' }
  | { readonly code: 'oauthRedirectUriInvalid' }
  | { readonly code: 'oauthScopeInvalid' }
  | { readonly code: 'oauthAccountInvalid' }
  | { readonly code: 'oauthCodesOnly' }
  | { readonly code: 'oauthChallengeMissing' }
  | { readonly code: 'oauthCodeInvalid' }
  | { readonly code: 'oauthTooManySecrets' }
  | { readonly code: 'oauthSecretNotFound' }
  | { readonly code: 'oauthGrantNotFound' }
  | { readonly code: 'oauthAssertionUsed' }
  | { readonly code: 'userNotFound' }
  | { readonly code: 'partnerNotFound' }

type CheckStep =
  | 'exists'
  | 'access'
  | 'owner'
  | 'active'
  | 'secret'
  | 'client'
  | 'redirectUri'
  | 'scope'
  | 'challenge'
  | 'account'
  | 'direct'

const granting = ['exists', 'access', 'active', 'secret', 'redirectUri', 'scope', 'account'] as const

/** The checks of each operation, in order. The first failed step determines the refusal. */
export const checkSteps = {
  showApp: ['exists', 'access'],
  manageApp: ['exists', 'owner'],
  authorizeApp: [...granting, 'challenge'],
  issueToken: [...granting, 'direct'],
  requestConsent: ['exists', 'active', 'redirectUri', 'scope', 'challenge'],
  actAsApp: ['exists', 'active', 'client'],
  introspect: ['exists', 'active', 'secret'],
} as const satisfies Record<string, readonly CheckStep[]>

const refusals: Record<CheckStep, OAuthRefusal> = {
  exists: { code: 'oauthClientRefused' },
  access: { code: 'oauthClientRefused' },
  owner: { code: 'oauthClientRefused' },
  active: { code: 'oauthClientRefused' },
  secret: { code: 'oauthClientRefused' },
  client: { code: 'oauthClientRefused' },
  redirectUri: { code: 'oauthRedirectUriInvalid' },
  scope: { code: 'oauthScopeInvalid' },
  challenge: { code: 'oauthChallengeMissing' },
  account: { code: 'oauthAccountInvalid' },
  direct: { code: 'oauthCodesOnly' },
}

type AnyRequest = AppRequest & Partial<Omit<PartnerRequest, 'kind'>> & Partial<Omit<UserRequest, 'kind'>>

/** Returns the app if every step of the operation passes. */
export function checkRequest(
  view: View,
  at: Instant,
  operation: keyof typeof checkSteps,
  request: AnyRequest,
): Result<App, OAuthRefusal> {
  const app = appByClientId(view, request.clientId)
  const operationSteps: readonly CheckStep[] = checkSteps[operation]
  // Every step runs, even for an unknown app, so that the response time reveals nothing.
  const passed = operationSteps.map((step) => passes(view, at, step, app ?? NO_APP, request))
  if (!app) return fail(refusals.exists)
  const failed = operationSteps[passed.indexOf(false)]
  return failed ? fail(refusals[failed]) : ok(app)
}

const NO_ID = newIdOf('')
/** Used in place of an unknown app; fails its checks. */
const NO_APP: App = {
  id: NO_ID,
  clientId: clientIdOf(''),
  owner: NO_ID,
  partners: [NO_ID],
  name: '',
  description: '',
  url: '',
  termsOfUse: '',
  privacyPolicy: '',
  status: 'active',
  redirectUris: [''],
  scopes: [],
  liveTradingApproved: false,
  secrets: [{ id: NO_ID, digest: digestOfHex('0'.repeat(64)), createdAt: EPOCH }],
  createdAt: EPOCH,
}

/** Hyphens and case of a client id are ignored. */
export function appByClientId(view: View, clientId: string | undefined): App | undefined {
  const id = clientId === undefined ? undefined : view.clientIds.get(clientIdOf(clientId))
  return id && view.apps.get(id)
}

function passes(view: View, at: Instant, step: CheckStep, app: App, request: AnyRequest): boolean {
  switch (step) {
    case 'exists':
      return true
    case 'access':
      return request.partnerId !== undefined && app.partners.includes(request.partnerId)
    case 'owner':
      return request.partnerId === app.owner
    case 'active':
      return app.status === 'active'
    case 'secret':
      return hasSecret(app, at, request)
    case 'client':
      // A public app has no secret, so any secret is wrong.
      return app.isPublic ? request.secret === undefined : hasSecret(app, at, request)
    case 'redirectUri':
      return request.redirectUri !== undefined && matchesRedirectUri(app, request.redirectUri)
    case 'scope':
      return requestedScopes(app, request.scope) !== undefined
    case 'challenge':
      return request.challenge === undefined ? !needsChallenge(app) : isChallenge(request.challenge)
    case 'account':
      return requestedAccount(view, app, request) !== undefined
    case 'direct':
      return !app.codesOnly
  }
}

/** Whether codes of this app require PKCE. */
export const needsChallenge = ({ pkceRequired, isPublic }: App): boolean => Boolean(pkceRequired || isPublic)

/** SHA-256 in base64url. */
const isChallenge = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

/** These are digests of long random secrets, so a timing attack on the comparison reveals nothing useful. */
const hasSecret = (app: App, at: Instant, { secret }: AppRequest): boolean =>
  app.secrets.some(
    ({ digest, expiresAt }) => digest === secret && (expiresAt === undefined || expiresAt > at),
  )

/** The requested scopes, if the app may request them. */
export function requestedScopes(app: App, text: string | undefined): readonly Scope[] | undefined {
  const requested = text === undefined ? fail('unknownScope') : parseScope(text)
  return requested.ok && requested.value.every((scope) => app.scopes.includes(scope))
    ? requested.value
    : undefined
}

/**
 * An open account of the calling partner that the app may use. Other partners' accounts, and live accounts
 * without approval, are treated as missing.
 */
export function requestedAccount(
  view: View,
  app: App,
  { accountId, partnerId }: Pick<AnyRequest, 'accountId' | 'partnerId'>,
): Account | undefined {
  const account = lookUp(view.accounts, accountId)
  if (account?.partnerId !== partnerId || account?.closedAt || account?.issuer) return undefined
  return account?.flavour !== 'live' || mayConnectLive(app, account.userId) ? account : undefined
}

/** The app for display, even if disabled. */
export const showApp = (view: View, request: Pick<PartnerRequest, 'clientId' | 'partnerId'>) =>
  checkRequest(view, view.lastAt, 'showApp', request)

/** The app, if the partner owns it. */
export const appOfOwner = (view: View, request: Pick<PartnerRequest, 'clientId' | 'partnerId'>) =>
  checkRequest(view, view.lastAt, 'manageApp', request)

/** The app on the consent page, if the authorization request is valid. */
export const appForConsent = (view: View, request: Omit<UserRequest, 'userId'>) =>
  checkRequest(view, view.lastAt, 'requestConsent', request)
