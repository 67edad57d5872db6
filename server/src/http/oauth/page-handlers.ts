import { appsPageHandlers } from './apps-page.ts'
import { authorizePageHandlers } from './authorize-page.ts'
import { operatorPageHandlers } from './operator-page.ts'
import { sessionHandlers } from './session.ts'
import { signInPageHandlers } from './sign-in-page.ts'

/** What a person's browser meets, and what its pages may ask for. */
export const pageHandlers = {
  ...authorizePageHandlers,
  ...signInPageHandlers,
  ...appsPageHandlers,
  ...operatorPageHandlers,
  ...sessionHandlers,
}
