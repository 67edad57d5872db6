import type { Handlers } from '@quipu/contract'
import type { Context } from '../context.ts'

type Pages = typeof import('./page-handlers.ts').pageHandlers
type Name = keyof Pages
type Handler = (input: never, context: Context) => Promise<unknown>

/** Every one, so that they are known before they are there. */
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
  getBrowserSession: true,
  issueSessionToken: true,
}

let loading: Promise<Pages> | undefined

/** Many a broker never meets a browser: pages are loaded when the first one is asked for. */
const pages = (): Promise<Pages> =>
  (loading ??= import('./page-handlers.ts').then(({ pageHandlers }) => pageHandlers))

const later =
  (name: Name): Handler =>
  async (input, context) =>
    ((await pages())[name] as Handler)(input, context)

/** What a person's browser meets, and what its pages may ask for. */
export const oauthPageHandlers = Object.fromEntries(
  Object.keys(names).map((name) => [name, later(name as Name)]),
) as unknown as Handlers<Context, Name>
