import { appsPageHandlers } from './apps-page.ts'
import { authorizePageHandlers } from './authorize-page.ts'
import { factorsPageHandlers } from './factors-page.ts'
import { operatorPageHandlers } from './operator-page.ts'
import { secondFactorHandlers } from './second-factor-page.ts'
import { sessionHandlers } from './session.ts'
import { signInPageHandlers } from './sign-in-page.ts'

/** The browser pages, and the session operations that pages call. */
export const pageHandlers = {
  ...authorizePageHandlers,
  ...signInPageHandlers,
  ...appsPageHandlers,
  ...operatorPageHandlers,
  ...secondFactorHandlers,
  ...factorsPageHandlers,
  ...sessionHandlers,
}
