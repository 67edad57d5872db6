import type { SignedInCaller } from '@quipu/broker/access/caller.ts'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import { isConfirmed } from '@quipu/broker/access/second-factor.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf } from '@quipu/contract'
import { type Command, definedFields, hasFactor, type User, userByName } from '@quipu/core'
import type { Mistake } from '../../../pages/forms.ts'
import { problemPage, waitPage } from '../../../pages/problem-page.ts'
import { signInLinkPage, signInPage } from '../../../pages/sign-in-page.ts'
import { attempt } from '../../attempt.ts'
import type { Context, SomeHandlers } from '../../context.ts'
import { seeOther } from '../../prebuilt.ts'
import { type AuthorizationRequest, parseRequest, queryFromForm } from './authorization-request.ts'
import { authorizeAt, signInAt, staleFormPage } from './authorize-page.ts'
import {
  anySession,
  asPage,
  browserOf,
  browserWorldName,
  formCookie,
  isSameBrowserForm,
  isSameSessionForm,
  newCookie,
  PageResponse,
  pageHandler,
  sessionCookie,
  sessionHeader,
  signedIn,
} from './browser.ts'
import { checkPassword } from './password-check.ts'
import { pendingAt } from './second-factor-page.ts'

type Body = InputOf<'signIn'>['body']

/** A session ends after this time, also when it is used. */
const SESSION_SECONDS = 12 * 3600
/** Operator rights of a session last this long. */
export const OPERATOR_MS = 3_600_000

export const signInPageHandlers = {
  showSignInPage: pageHandler(async ({ query }, context) => {
    if (query.once !== undefined) return linkPage(context, query.once)
    const request = requestIn(context, query.request)
    if (signedIn(context, request?.world)) return seeOther(nextOf(request))
    const pending = signedIn(context) ? undefined : anySession(context)
    if (pending && (!request || pending.world === request.world))
      return seeOther(pendingAt(pending, request?.text))
    return formPage(context, request)
  }),

  signIn: pageHandler(async ({ body }, context) => {
    const request = requestIn(context, body.request)
    if (!isSameBrowserForm(context, body.csrf))
      throw new PageResponse(asPage(missingCookiePage(request, body.once)))
    return body.once === undefined ? byPassword(context, request, body) : byLink(context, body.once)
  }),

  signOut: pageHandler(async ({ body }, context) => {
    const request = requestIn(context, body.request)
    const after = signInFor(request)
    const me = anySession(context)
    if (!me) return seeOther(after)
    if (!isSameSessionForm(context, body.csrf)) throw new PageResponse(staleFormPage(request?.text))
    await endSession(context)
    return seeOther(after, sessionHeader(context, '', 0))
  }),
} satisfies SomeHandlers

/** The request of the app that sign-in interrupted, if it is valid. Sign-in redirects to no other URL. */
function requestIn(context: Context, query: string | undefined): AuthorizationRequest | undefined {
  if (query === undefined) return undefined
  const parsed = parseRequest(context.services, queryFromForm(query))
  return parsed.kind === 'valid' ? parsed.request : undefined
}

/** A session that needs a second factor continues with the page that asks for it. */
function startOf(
  context: Context,
  of: Pick<SignedInCaller, 'user' | 'hasFactor'>,
  request?: AuthorizationRequest,
): string {
  const { factorPolicy } = context.services.worlds.access.credentials
  return isConfirmed(factorPolicy, of, {}) ? nextOf(request) : pendingAt(of, request?.text)
}

const nextOf = (request: AuthorizationRequest | undefined): string =>
  request ? authorizeAt(request.text) : '../'

const worldOf = ({ services }: Context, request: AuthorizationRequest | undefined): World =>
  request?.world ?? services.worlds.main

const WRONG: readonly Mistake[] = [{ field: 'password', message: 'The name or the password is not right.' }]

function formPage(context: Context, request: AuthorizationRequest | undefined, failedName?: string): string {
  const { csrf, headers } = formCookie(context)
  const sheet = signInPage({
    csrf,
    request: request?.text,
    appName: request?.app.name,
    redirectUri: request?.redirectUri,
    world: browserWorldName(worldOf(context, request)),
    name: failedName,
    mistakes: failedName === undefined ? undefined : WRONG,
  })
  return asPage(sheet, headers)
}

const missingCookiePage = (request: AuthorizationRequest | undefined, once: string | undefined) =>
  problemPage({
    title: 'You are not signed in yet',
    words: [
      'The browser did not send back the cookie that came with the form. Allow cookies from this address, and try again.',
    ],
    next: {
      href: once === undefined ? signInFor(request) : linkAt(once),
      words: 'Try again',
    },
  })

const linkAt = (once: string): string => `sign-in?${new URLSearchParams({ once })}`

/** A wrong name and a wrong password show the same message. */
async function byPassword(
  context: Context,
  request: AuthorizationRequest | undefined,
  body: Body,
): Promise<string> {
  const { name = '', password = '' } = body
  const world = worldOf(context, request)
  context.state.world = world
  const user = userByName(world.view, name)
  const check = await checkPassword(context, world, name, password)
  if (check.kind === 'wait') throw tooMany(request)(['Retry-After', String(check.seconds)])
  if (check.kind === 'wrong' || !user) {
    if (user) recordFailure(context, world, user)
    return formPage(context, request, name)
  }
  context.cause.setActor({ kind: 'user', user: user.id })
  const headers = await beginSession(context, world, {
    userId: user.id,
    ...definedFields({ mainEpoch: check.mainEpoch }),
  })
  // The user was disabled or deleted while the password was checked.
  if (!headers) return formPage(context, request, name)
  return seeOther(startOf(context, { user, hasFactor: check.hasFactor }, request), headers)
}

const tooMany =
  (request?: AuthorizationRequest) =>
  (headers: readonly string[]): Error =>
    new PageResponse(asPage(waitPage(Number(headers[1]), signInFor(request))))

/** The sign-in page that continues with the request. */
const signInFor = (request: AuthorizationRequest | undefined): string =>
  request ? signInAt(request.text) : 'sign-in'

/** Not awaited, because the response time would reveal that the user exists. */
export function recordFailure(context: Context, world: World, { id }: User): void {
  const { services } = context
  world.commands
    .submit({ kind: 'noteFailedSignIn', userId: id }, () => undefined)
    .catch((error) => services.log.warn('a failed sign-in was not recorded', { error: String(error) }))
}

/** Shows the user of a link but does not use the link, because mail programs open links before people do. */
async function linkPage(context: Context, once: string): Promise<string> {
  const found = await linkOf(context, once)
  if (!found) {
    attempt(context, undefined, tooMany()).wrong()
    throw new PageResponse(asPage(expiredLinkPage))
  }
  const { csrf, headers } = formCookie(context)
  const { world, user } = found
  return asPage(signInLinkPage({ csrf, once, user: user.name, world: browserWorldName(world) }), headers)
}

const expiredLinkPage = problemPage({
  title: 'This link has ended',
  words: [
    'A sign-in link works once and for a limited time. You are not signed in.',
    'The command quipu open prints a new link.',
  ],
  next: { href: 'sign-in', words: 'Sign in with a password' },
})

async function linkOf(
  context: Context,
  once: string,
): Promise<Pick<SignedInCaller, 'world' | 'user' | 'hasFactor'> | undefined> {
  const digest = digestOf(once)
  const world = context.services.worlds.access.credentials.worlds.ofLink(digest)
  if (!world) return undefined
  const { link, user } = await context.state.read(world, ({ signInLinks, users }) => {
    const link = signInLinks.get(digest)
    return { link, user: link && users.get(link.userId) }
  })
  if (!link || link.endsAtMs <= Date.now() || !user || user.disabled) return undefined
  if (link.mainEpoch === undefined) return { world, user, hasFactor: hasFactor(user) }
  const person = await context.services.worlds.access.credentials.people.find(user)
  if (!person || person.isDisabled || person.epoch !== link.mainEpoch) return undefined
  return { world, user, hasFactor: person.hasFactor || hasFactor(user) }
}

async function byLink(context: Context, once: string): Promise<string> {
  const tried = attempt(context, undefined, tooMany())
  const found = await linkOf(context, once)
  if (found) context.cause.setActor({ kind: 'user', user: found.user.id })
  const headers = found && (await beginSession(context, found.world, { link: digestOf(once) }))
  if (!found || !headers) {
    tried.wrong()
    throw new PageResponse(asPage(expiredLinkPage))
  }
  tried.right()
  rememberBrowser(context, found.world, found.user)
  return seeOther(startOf(context, found), headers)
}

/** Failed attempts of other browsers no longer make this user wait in this browser. */
function rememberBrowser(context: Context, world: World, { name }: User): void {
  const browser = browserOf(context)
  if (browser !== undefined)
    context.services.security.failedAttempts.remember({ kind: 'user', world, name }, browser)
}

/** Begins a session with a new cookie and ends the earlier session of the browser. Returns the Set-Cookie header. */
async function beginSession(
  context: Context,
  world: World,
  by: Extract<Command, { kind: 'signIn' }>['by'],
): Promise<readonly string[] | undefined> {
  const cookie = newCookie(world.access.code)
  const nowMs = Date.now()
  const decision = await context.state.submit(world, {
    kind: 'signIn',
    by,
    session: digestOf(cookie),
    nowMs,
    endsAtMs: nowMs + SESSION_SECONDS * 1000,
    operatorUntilMs: nowMs + OPERATOR_MS,
    from: context.cause.from(),
  })
  if (!decision.ok) return undefined
  await endSession(context)
  return sessionHeader(context, cookie, SESSION_SECONDS)
}

/** Ends the current session of the browser, if there is one. */
async function endSession(context: Context): Promise<void> {
  const cookie = sessionCookie(context)
  const session = cookie && context.services.worlds.access.credentials.byAnySession(cookie, Date.now())
  if (session)
    await session.world.commands.submit({ kind: 'signOut', session: session.digest }, () => undefined)
}
