import type { Handlers } from '@quipu/contract'
import { verifyPassword } from '../../access/password.ts'
import type { Mistake } from '../../pages/forms.ts'
import { operatorPage } from '../../pages/operator-page.ts'
import { waitPage } from '../../pages/problem-page.ts'
import { attempt } from '../attempt.ts'
import type { Context } from '../context.ts'
import { seeOther } from '../prebuilt.ts'
import { notOurForm } from './authorize-page.ts'
import {
  asPage,
  browserOf,
  isOwnSessionForm,
  operatorUntil,
  paged,
  Shown,
  signedIn,
  worldName,
} from './browser.ts'
import { noteFailure, OPERATOR_MS } from './sign-in-page.ts'

type Names = 'showOperatorPage' | 'changeOperatorRights'
type Me = NonNullable<ReturnType<typeof signedIn>>

/** Where a session's rights as an operator are raised for an hour, and dropped. */
export const operatorPageHandlers: Handlers<Context, Names> = {
  showOperatorPage: paged(async (_, context) => {
    const me = signedIn(context)
    return me ? shown(me) : seeOther('sign-in')
  }),

  changeOperatorRights: paged(async ({ body }, context) => {
    const me = signedIn(context)
    if (!me) return seeOther('sign-in')
    if (!isOwnSessionForm(context, body.csrf)) throw new Shown(notOurForm())
    context.world = me.world
    if (body.answer === 'raise' && !(await raised(context, me, body.password ?? ''))) return shown(me, WRONG)
    if (body.answer === 'drop')
      await context.resultOf(
        me.world,
        me.world.submit({ kind: 'dropOperatorRights', session: me.digest }, () => undefined),
      )
    return seeOther('operator')
  }),
}

const WRONG: readonly Mistake[] = [{ field: 'password', message: 'The password is not right.' }]

function shown(me: Me, mistakes?: readonly Mistake[]): string {
  const { person, world, csrf } = me
  return asPage(
    operatorPage({
      csrf,
      person: person.name,
      world: worldName(world),
      isOperator: person.operator === true,
      until: operatorUntil(me),
      ...(mistakes && { mistakes }),
    }),
  )
}

/** False where the password is wrong. Someone who is no operator has nothing to raise, and no password is checked. */
async function raised(context: Context, { world, person, digest }: Me, password: string): Promise<boolean> {
  if (!person.operator) return true
  const tooMany = (headers: readonly string[]) => new Shown(asPage(waitPage(Number(headers[1]), 'operator')))
  const subject = { kind: 'person', world, name: person.name } as const
  const tried = attempt(context, subject, tooMany, browserOf(context))
  if (!(await verifyPassword(password, person.password))) {
    tried.wrong()
    noteFailure(context, world, person)
    return false
  }
  tried.right()
  const nowMs = Date.now()
  const untilMs = nowMs + OPERATOR_MS
  await context.resultOf(
    world,
    world.submit({ kind: 'raiseOperatorRights', session: digest, nowMs, untilMs }, () => undefined),
  )
  return true
}
