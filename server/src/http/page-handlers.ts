import { appsPageHandlers } from './oauth-pages-apps.ts'
import { authorizePageHandlers } from './oauth-pages-authorize.ts'
import { operatorPageHandlers } from './oauth-pages-operator.ts'
import { signInPageHandlers } from './oauth-pages-sign-in.ts'
import { sessionHandlers } from './oauth-session.ts'

/** What a person's browser meets, and what its pages may ask for. */
export const pageHandlers = {
  ...authorizePageHandlers,
  ...signInPageHandlers,
  ...appsPageHandlers,
  ...operatorPageHandlers,
  ...sessionHandlers,
}
