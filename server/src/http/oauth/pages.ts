import type { Handlers } from '@quipu/contract'
import type { Context } from '../context.ts'

type Name = keyof typeof import('./pages/page-handlers.ts').pageHandlers
type Handler = (input: never, context: Context) => unknown

/** The names of all page handlers, known before their module is loaded. */
const names: Readonly<Record<Name, true>> = {
  showAuthorizePage: true,
  submitAuthorizePage: true,
  showSignInPage: true,
  signIn: true,
  signOut: true,
  showAppsPage: true,
  withdrawApp: true,
  showOperatorPage: true,
  changeOperatorRights: true,
  showSecondFactorPage: true,
  confirmSecondFactor: true,
  showFactorsPage: true,
  changeFactors: true,
  getBrowserSession: true,
  issueSessionToken: true,
}

/** Loaded with the first page request, because many servers never have one. */
const lazyHandler =
  (name: Name): Handler =>
  async (input, context) => {
    const { pageHandlers } = await import('./pages/page-handlers.ts')
    return (pageHandlers[name] as Handler)(input, context)
  }

/** The browser pages, and the session operations that pages call. */
export const oauthPageHandlers = Object.fromEntries(
  Object.keys(names).map((name) => [name, lazyHandler(name as Name)]),
) as unknown as Handlers<Context, Name>
