import type { Account } from '../account/account.ts'
import type { AccountId } from '../ids.ts'
import { fail, found, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import { type App, clientIdOf } from './app.ts'
import type { Ask, PartnerAsk } from './commands.ts'
import { parseScope, type Scope } from './scopes.ts'

/** One refusal for every doubt about the app, so that nobody can probe for apps or secrets. */
export type OAuthRefusal =
  | { readonly code: 'oauthClientRefused' }
  | { readonly code: 'oauthRedirectUriInvalid' }
  | { readonly code: 'oauthScopeInvalid' }
  | { readonly code: 'oauthAccountInvalid' }
  | { readonly code: 'oauthCodeInvalid' }

type Step = 'exists' | 'access' | 'active' | 'secret' | 'redirectUri' | 'scope' | 'account'
const granting = ['exists', 'access', 'active', 'secret', 'redirectUri', 'scope', 'account'] as const

/** What is checked, in which order, by operation. The first step that fails is the answer. */
export const steps = {
  showApp: ['exists', 'access'],
  authorizeApp: granting,
  issueToken: granting,
  exchangeCode: ['exists', 'active', 'secret'],
} as const satisfies Record<string, readonly Step[]>

const refusals: Record<Step, OAuthRefusal> = {
  exists: { code: 'oauthClientRefused' },
  access: { code: 'oauthClientRefused' },
  active: { code: 'oauthClientRefused' },
  secret: { code: 'oauthClientRefused' },
  redirectUri: { code: 'oauthRedirectUriInvalid' },
  scope: { code: 'oauthScopeInvalid' },
  account: { code: 'oauthAccountInvalid' },
}

/** The app, once every step of the operation has passed. */
export function checkAsk(
  view: View,
  operation: keyof typeof steps,
  ask: Ask & Partial<PartnerAsk>,
): Result<App, OAuthRefusal> {
  const app = appNamed(view, ask.clientId)
  const failed = steps[operation].find((step) => !passes(view, step, app, ask))
  return failed ? fail(refusals[failed]) : ok(found(app, 'the app'))
}

/** Hyphens and case of a client id do not count. */
export function appNamed(view: View, clientId: string | undefined): App | undefined {
  const id = clientId === undefined ? undefined : view.clientIds.get(clientIdOf(clientId))
  return id && view.apps.get(id)
}

function passes(view: View, step: Step, app: App | undefined, ask: Ask & Partial<PartnerAsk>): boolean {
  if (!app) return false
  switch (step) {
    case 'exists':
      return true
    case 'access':
      return ask.partnerId !== undefined && app.partners.includes(ask.partnerId)
    case 'active':
      return app.status === 'active'
    case 'secret':
      return app.secrets.some(({ digest }) => digest === ask.secret)
    case 'redirectUri':
      return ask.redirectUri !== undefined && app.redirectUris.includes(ask.redirectUri)
    case 'scope':
      return scopesAsked(app, ask.scope) !== undefined
    case 'account':
      return accountAsked(view, ask) !== undefined
  }
}

/** What the text asks for, if the app may ask for it. */
export function scopesAsked(app: App, text: string | undefined): readonly Scope[] | undefined {
  const asked = text === undefined ? fail('unknownScope') : parseScope(text)
  return asked.ok && asked.value.every((scope) => app.scopes.includes(scope)) ? asked.value : undefined
}

/** An account of the calling partner; another's is as good as none. */
export function accountAsked(view: View, { accountId, partnerId }: Partial<PartnerAsk>): Account | undefined {
  const account = view.accounts.get(accountId as AccountId)
  return account?.partnerId === partnerId ? account : undefined
}

/** The app as its page may show it, disabled or not. */
export const showApp = (view: View, ask: Pick<PartnerAsk, 'clientId' | 'partnerId'>) =>
  checkAsk(view, 'showApp', ask)
