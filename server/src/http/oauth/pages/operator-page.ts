import { verifyPassword } from '@quipu/broker/access/password.ts'
import { hasServerRole, roleOf } from '@quipu/core'
import type { Mistake } from '../../../pages/forms.ts'
import { operatorPage } from '../../../pages/operator-page.ts'
import { waitPage } from '../../../pages/problem-page.ts'
import { attempt } from '../../attempt.ts'
import type { Context, SomeHandlers } from '../../context.ts'
import { seeOther } from '../../prebuilt.ts'
import { staleFormPage } from './authorize-page.ts'
import {
  asPage,
  browserOf,
  browserWorldName,
  isSameSessionForm,
  operatorUntil,
  PageResponse,
  pageHandler,
  signedIn,
} from './browser.ts'
import { countUnlessRefused } from './password-check.ts'
import { OPERATOR_MS, recordFailure } from './sign-in-page.ts'

type Me = NonNullable<ReturnType<typeof signedIn>>

/** Raises the rights of an operator or auditor in a session for one hour, or drops them. */
export const operatorPageHandlers = {
  showOperatorPage: pageHandler(async (_, context) => {
    const me = signedIn(context)
    return me ? rightsPage(me) : seeOther('sign-in')
  }),

  changeOperatorRights: pageHandler(async ({ body }, context) => {
    const me = signedIn(context)
    if (!me) return seeOther('sign-in')
    if (!isSameSessionForm(context, body.csrf)) throw new PageResponse(staleFormPage())
    context.state.world = me.world
    if (body.answer === 'raise' && !(await raiseRights(context, me, body.password ?? '')))
      return rightsPage(me, WRONG)
    if (body.answer === 'drop')
      await context.state.submit(me.world, { kind: 'dropOperatorRights', session: me.digest })
    return seeOther('operator')
  }),
} satisfies SomeHandlers

const WRONG: readonly Mistake[] = [{ field: 'password', message: 'The password is not right.' }]

function rightsPage(me: Me, mistakes?: readonly Mistake[]): string {
  const { user, world, csrf } = me
  return asPage(
    operatorPage({
      csrf,
      user: user.name,
      world: browserWorldName(world),
      role: roleOf(user),
      until: operatorUntil(me),
      mistakes,
    }),
  )
}

/** False if the password is wrong. For a user without a role the password is not checked. */
async function raiseRights(
  context: Context,
  { world, user, digest }: Me,
  password: string,
): Promise<boolean> {
  if (!hasServerRole(user)) return true
  const tooMany = (headers: readonly string[]) =>
    new PageResponse(asPage(waitPage(Number(headers[1]), 'operator')))
  const subject = { kind: 'user', world, name: user.name } as const
  const tried = attempt(context, subject, tooMany, browserOf(context))
  if (!(await countUnlessRefused(tried, verifyPassword(password, user.password, 'known')))) {
    tried.wrong()
    recordFailure(context, world, user)
    return false
  }
  tried.right()
  const nowMs = Date.now()
  const untilMs = nowMs + OPERATOR_MS
  await context.state.submit(world, { kind: 'raiseOperatorRights', session: digest, nowMs, untilMs })
  return true
}
