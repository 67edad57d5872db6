import type { SignedInCaller } from '@quipu/broker/access/caller.ts'
import {
  appPurpose,
  appUri,
  codeStep,
  isFactorRequired,
  newAuthenticator,
  registeredPasskey,
  registrationOptions,
} from '@quipu/broker/access/second-factor.ts'
import type { InputOf } from '@quipu/contract'
import type { PasskeyId } from '@quipu/core'
import { definedFields } from '@quipu/core/values'
import { factorsPage, newAppPage } from '../../../pages/factors-page.ts'
import type { Mistake } from '../../../pages/forms.ts'
import { problemPage } from '../../../pages/problem-page.ts'
import type { Context, SomeHandlers } from '../../context.ts'
import { seeOther } from '../../prebuilt.ts'
import { staleFormPage } from './authorize-page.ts'
import {
  anySession,
  asPage,
  browserWorldName,
  isSameSessionForm,
  PageResponse,
  pageHandler,
  signedIn,
} from './browser.ts'
import { openChallenge, pageOriginOf, sealChallenge } from './factor-check.ts'
import { afterSignIn, confirm, factorsAt, secondFactorAt } from './second-factor-page.ts'

type Me = SignedInCaller & {
  readonly csrf: string
  /** The user must add a factor before the session has any rights. */
  readonly isEnrolling: boolean
}
type Body = InputOf<'changeFactors'>['body']

/** People add and remove their authenticator app and passkeys. */
export const factorsPageHandlers = {
  showFactorsPage: pageHandler(async ({ query: { request } }, context) =>
    overview(context, ownerOf(context, request), request),
  ),

  changeFactors: pageHandler(async ({ body }, context) => {
    const { request } = body
    const me = ownerOf(context, request)
    if (!isSameSessionForm(context, body.csrf)) throw new PageResponse(staleFormPage(request))
    context.state.world = me.world
    switch (body.answer) {
      case 'new-app':
        return appPage(context, me, request, (await newAuthenticator(me.user.name)).secret)
      case 'add-app':
        return addApp(context, me, body)
      case 'add-passkey':
        return addPasskey(context, me, body)
      case 'remove':
        return remove(context, me, body)
      case undefined:
        return seeOther(factorsAt(request))
    }
  }),
} satisfies SomeHandlers

/** The user of this browser; throws the redirect or page of one who cannot change factors here. */
function ownerOf(context: Context, request: string | undefined): Me {
  const complete = signedIn(context)
  const me = complete ?? anySession(context)
  if (!me) throw new PageResponse(seeOther('sign-in'))
  if (!complete && me.hasFactor) throw new PageResponse(seeOther(secondFactorAt(request)))
  if (me.session.mainEpoch !== undefined) throw new PageResponse(asPage(ofMainPage))
  return { ...me, isEnrolling: !complete }
}

async function overview(
  context: Context,
  me: Me,
  request: string | undefined,
  mistakes?: readonly Mistake[],
): Promise<string> {
  const { csrf, user, world, isEnrolling } = me
  const page = pageOriginOf(context)
  const problem = passkeyProblem(context, page)
  const made = problem === undefined ? await registrationOptions(user, page) : undefined
  const { credentials } = context.services.worlds.access
  return asPage(
    factorsPage({
      csrf,
      request,
      user: user.name,
      world: browserWorldName(world),
      isEnrolling,
      isRequired: isFactorRequired(credentials.factorPolicy, user),
      app: user.totp,
      passkeys: user.passkeys ?? [],
      passkeyProblem: problem,
      newPasskey: made && { ...made, challenge: sealChallenge(context.services, made.challenge, me.digest) },
      mistakes,
    }),
  )
}

/** Why the browser could not use a passkey at this address. */
function passkeyProblem(
  { services }: Context,
  { origin, host }: { origin: string; host: string },
): string | undefined {
  if (/^[\d.]+$|:/.test(host)) return 'Passkeys need a host name; this address is a number.'
  if (!origin.startsWith('https:') && !/(^|\.)localhost$/.test(host)) return 'Passkeys need https.'
  return services.web.find('/passkeys.js') ? undefined : 'This server has no files for the browser.'
}

/** The secret is in the form, encrypted, until the first code shows that the app has it. */
async function appPage(
  { services }: Context,
  { csrf, user, world }: Me,
  request: string | undefined,
  secret: string,
  mistakes?: readonly Mistake[],
): Promise<string> {
  const { encode } = await import('uqr')
  const uri = await appUri(secret, user.name)
  const sealed = services.security.sealingKey.seal(secret, appPurpose(user.id))
  const { data: dots } = encode(uri, { border: 4 })
  const parts = { csrf, request, user: user.name, world: browserWorldName(world) }
  return asPage(newAppPage({ ...parts, secret, uri, sealed, dots, mistakes }))
}

async function addApp(
  context: Context,
  me: Me,
  { request, secret: sealed = '', passcode = '' }: Body,
): Promise<string> {
  const secret = context.services.security.sealingKey.open(sealed, appPurpose(me.user.id))
  if (secret === undefined) return seeOther(factorsAt(request))
  const step = await codeStep(secret, passcode, Date.now())
  const wrong = [{ field: 'passcode', message: 'The code is not right. Is the clock of the phone right?' }]
  if (step === undefined) return appPage(context, me, request, secret, wrong)
  const command = { kind: 'addTotp', userId: me.user.id, secret: sealed, step } as const
  const decision = await context.state.submit(me.world, command)
  return decision.ok ? added(context, me, 'totp', request) : seeOther(factorsAt(request))
}

async function addPasskey(context: Context, me: Me, body: Body): Promise<string> {
  const { request, passkey: response = '', challenge: sealed = '' } = body
  const challenge = openChallenge(context.services, sealed, me.digest)
  const page = pageOriginOf(context)
  const made = challenge === undefined ? undefined : await registeredPasskey({ response, challenge, page })
  const wrong = [{ field: 'passkey-name', message: 'The passkey was not accepted. Try again.' }]
  if (!made) return overview(context, me, request, wrong)
  const name = body.name?.trim() || 'Passkey'
  const decision = await context.state.submit(me.world, {
    kind: 'addPasskey',
    userId: me.user.id,
    name,
    ...made,
  })
  const known = [{ field: 'passkey-name', message: 'This passkey is in your list, or the list is full.' }]
  return decision.ok ? added(context, me, 'passkey', request) : overview(context, me, request, known)
}

/** The proof that added a factor also confirms the session. */
async function added(
  context: Context,
  me: Me,
  by: 'totp' | 'passkey',
  request: string | undefined,
): Promise<string> {
  if (me.session.factor === undefined) await confirm(context, me, by)
  return seeOther(me.isEnrolling ? afterSignIn(request) : 'factors')
}

async function remove(context: Context, me: Me, { factor, request }: Body): Promise<string> {
  if (factor === undefined) return seeOther(factorsAt(request))
  const { user, world } = me
  const isRequired = isFactorRequired(context.services.worlds.access.credentials.factorPolicy, user)
  const passkeyId = factor === 'app' ? undefined : (factor as PasskeyId)
  const command = {
    kind: 'removeFactor',
    userId: user.id,
    isRequired,
    ...definedFields({ passkeyId }),
  } as const
  const decision = await context.state.submit(world, command)
  if (!decision.ok && decision.reason.code === 'lastFactorRequired')
    throw new PageResponse(asPage(lastFactorPage))
  return seeOther(factorsAt(request))
}

/** A person of `main` who signed in to a copy of it. */
const ofMainPage = problemPage({
  title: 'Your second factors are in main',
  status: 409,
  words: [
    'You signed in to a copy of the world main with your password of main. Your second factors are there too, and count in every copy.',
    'Sign out, sign in to main, and change them there.',
  ],
  next: { href: 'apps', words: 'Back' },
})

const lastFactorPage = problemPage({
  title: 'This broker requires a second factor',
  status: 409,
  words: ['This is your last one, so it stays. Add another one first, and then remove this one.'],
  next: { href: 'factors', words: 'Back to your second factors' },
})
