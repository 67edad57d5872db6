import type { SignedInCaller } from '@quipu/broker/access/caller.ts'
import type { Mistake } from '../../../pages/forms.ts'
import { waitPage } from '../../../pages/problem-page.ts'
import { secondFactorPage } from '../../../pages/second-factor-page.ts'
import type { Context, SomeHandlers } from '../../context.ts'
import { seeOther } from '../../prebuilt.ts'
import { authorizeAt, staleFormPage } from './authorize-page.ts'
import {
  anySession,
  asPage,
  browserWorldName,
  isSameSessionForm,
  PageResponse,
  pageHandler,
  signedIn,
} from './browser.ts'
import { checkFactor, questionFor } from './factor-check.ts'

type Me = SignedInCaller & { readonly csrf: string }

/** Asks for the second factor after the password. Until then the session has no rights. */
export const secondFactorHandlers = {
  showSecondFactorPage: pageHandler(async ({ query: { request } }, context) => {
    const me = pendingOf(context, request)
    return questionPage(context, me, request)
  }),

  confirmSecondFactor: pageHandler(async ({ body }, context) => {
    const { request } = body
    const me = pendingOf(context, request)
    if (!isSameSessionForm(context, body.csrf)) throw new PageResponse(staleFormPage(request))
    context.state.world = me.world
    const check = await checkFactor(context, me, body)
    if (check.kind === 'wait') return asPage(waitPage(check.seconds, secondFactorAt(request)))
    if (check.kind === 'wrong') return questionPage(context, me, request, wrong(body.passkey))
    await confirm(context, me, check.by)
    return seeOther(afterSignIn(request))
  }),
} satisfies SomeHandlers

/** The page to continue with: the request of the app that sign-in interrupted, or the dashboard. */
export const afterSignIn = (request: string | undefined): string =>
  request === undefined ? '../' : authorizeAt(request)

const withRequest = (page: string, request: string | undefined): string =>
  request === undefined ? page : `${page}?${new URLSearchParams({ request })}`

export const secondFactorAt = (request: string | undefined): string => withRequest('second-factor', request)
export const factorsAt = (request: string | undefined): string => withRequest('factors', request)

/** Where a session continues that has no rights yet. */
export const pendingAt = (
  { hasFactor }: Pick<SignedInCaller, 'hasFactor'>,
  request: string | undefined,
): string => (hasFactor ? secondFactorAt(request) : factorsAt(request))

/** A session that waits for its second factor; throws the redirect of any other. */
function pendingOf(context: Context, request: string | undefined): Me {
  if (signedIn(context)) throw new PageResponse(seeOther(afterSignIn(request)))
  const me = anySession(context)
  if (!me) throw new PageResponse(seeOther(withRequest('sign-in', request)))
  if (!me.hasFactor) throw new PageResponse(seeOther(factorsAt(request)))
  return me
}

/** Gives the session its rights. */
export async function confirm(
  context: Context,
  { world, digest }: Me,
  by: 'totp' | 'passkey',
): Promise<void> {
  const command = { kind: 'confirmSession', session: digest, by, nowMs: Date.now() } as const
  const decision = await context.state.submit(world, command)
  if (!decision.ok) throw new PageResponse(seeOther('sign-in'))
}

function wrong(passkey: string | undefined): readonly Mistake[] {
  return passkey
    ? [{ field: 'use-passkey', message: 'The passkey was not accepted. Try again.' }]
    : [
        {
          field: 'passcode',
          message: 'The code is not right, or it was used before. Wait for the next code.',
        },
      ]
}

async function questionPage(
  context: Context,
  me: Me,
  request: string | undefined,
  mistakes?: readonly Mistake[],
): Promise<string> {
  const question = await questionFor(context, me)
  const { csrf, user, world } = me
  return asPage(
    secondFactorPage({
      csrf,
      request,
      user: user.name,
      world: browserWorldName(world),
      ...question,
      mistakes,
    }),
  )
}
