import type { Handlers, InputOf } from '@quipu/contract'
import { type Person, type PersonId, personByName } from '@quipu/core'
import { digestOf } from '../../access/credentials.ts'
import { DUMMY_HASH, verifyPassword } from '../../access/password.ts'
import { problemPage, waitPage } from '../../pages/problem-page.ts'
import { signInLinkPage, signInPage } from '../../pages/sign-in-page.ts'
import type { World } from '../../world/world.ts'
import { attempt } from '../attempt.ts'
import type { Context } from '../context.ts'
import { seeOther } from '../prebuilt.ts'
import { type Asked, carriedRequest, readRequest } from './authorization-request.ts'
import { authorizeAt, notOurForm, signInAt } from './authorize-page.ts'
import {
  asPage,
  browserOf,
  formCookie,
  isOwnForm,
  isOwnSessionForm,
  newCookie,
  paged,
  Shown,
  sessionCookie,
  sessionHeader,
  signedIn,
  worldName,
} from './browser.ts'

type Names = 'showSignInPage' | 'signIn' | 'signOut'
type Body = InputOf<'signIn'>['body']

/** How long a session lasts, whatever is done in it. */
const SESSION_SECONDS = 12 * 3600
/** How long a session may act as an operator before its rights must be raised again. */
export const OPERATOR_MS = 3_600_000

export const signInPageHandlers: Handlers<Context, Names> = {
  showSignInPage: paged(async ({ query }, context) => {
    if (query.once !== undefined) return linkPage(context, query.once)
    const asked = askedIn(context, query.request)
    if (signedIn(context, asked?.world)) return seeOther(nextOf(asked))
    return formPage(context, asked)
  }),

  signIn: paged(async ({ body }, context) => {
    const asked = askedIn(context, body.request)
    if (!isOwnForm(context, body.csrf)) throw new Shown(asPage(lostForm(asked, body.once)))
    return body.once === undefined ? byPassword(context, asked, body) : byLink(context, body.once)
  }),

  signOut: paged(async ({ body }, context) => {
    const asked = askedIn(context, body.request)
    const after = signInFor(asked)
    const me = signedIn(context)
    if (!me) return seeOther(after)
    if (!isOwnSessionForm(context, body.csrf)) throw new Shown(notOurForm(asked?.text))
    await ended(context)
    return seeOther(after, sessionHeader(context, '', 0))
  }),
}

/** The app's request that was interrupted, while it is in order. Only it is gone back to, and to nowhere else. */
function askedIn(context: Context, request: string | undefined): Asked | undefined {
  if (request === undefined) return undefined
  const reading = readRequest(context.services, carriedRequest(request))
  return reading.kind === 'asked' ? reading.asked : undefined
}

const nextOf = (asked: Asked | undefined): string => (asked ? authorizeAt(asked.text) : 'apps')

const worldOf = ({ services }: Context, asked: Asked | undefined): World =>
  asked?.world ?? services.worlds.main

function formPage(context: Context, asked: Asked | undefined, typed?: string): string {
  const { csrf, headers } = formCookie(context)
  const mistakes = [{ field: 'password', message: 'The name or the password is not right.' }]
  const sheet = signInPage({
    csrf,
    request: asked?.text,
    appName: asked?.app.name,
    redirectUri: asked?.redirectUri,
    world: worldName(worldOf(context, asked)),
    ...(typed === undefined ? {} : { name: typed, mistakes }),
  })
  return asPage(sheet, headers)
}

const lostForm = (asked: Asked | undefined, once: string | undefined) =>
  problemPage({
    title: 'You are not signed in yet',
    words: [
      'The browser did not send back the cookie that came with the form. Allow cookies from this address, and try again.',
    ],
    next: {
      href: once === undefined ? signInFor(asked) : linkAt(once),
      words: 'Try again',
    },
  })

const linkAt = (once: string): string => `sign-in?${new URLSearchParams({ once })}`

/** A wrong name and a wrong password are the same work and the same words. */
async function byPassword(context: Context, asked: Asked | undefined, body: Body): Promise<string> {
  const { name = '', password = '' } = body
  const world = worldOf(context, asked)
  context.world = world
  const subject = { kind: 'person', world, name } as const
  const tried = attempt(context, subject, tooMany(asked), browserOf(context))
  const person = personByName(world.view, name)
  const isRight = await verifyPassword(password, person?.password || DUMMY_HASH)
  if (!person || !isRight || person.disabled) {
    tried.wrong()
    if (person) noteFailure(context, world, person)
    return formPage(context, asked, name)
  }
  context.cause.setActor({ kind: 'person', person: person.id })
  const headers = await begun(context, world, { personId: person.id })
  // Disabled or removed while the password was looked at.
  if (!headers) return formPage(context, asked, name)
  tried.right()
  rememberBrowser(context, world, person)
  return seeOther(nextOf(asked), headers)
}

const tooMany =
  (asked?: Asked) =>
  (headers: readonly string[]): Error =>
    new Shown(asPage(waitPage(Number(headers[1]), signInFor(asked))))

/** Where one signs in, for what was asked. */
const signInFor = (asked: Asked | undefined): string => (asked ? signInAt(asked.text) : 'sign-in')

/** Nobody waits for it, or the time would tell that there is such a person. */
export function noteFailure(context: Context, world: World, { id }: Person): void {
  const { services } = context
  world
    .submit({ kind: 'noteFailedSignIn', personId: id }, () => undefined)
    .catch((error) => services.log.warn('a failed sign-in was not noted', { error: String(error) }))
}

/** Shows whom a link signs in, and takes nothing: browsers and mail programs look at links before people do. */
async function linkPage(context: Context, once: string): Promise<string> {
  const found = await linkOf(context, once)
  if (!found) {
    attempt(context, undefined, tooMany()).wrong()
    throw new Shown(asPage(deadLink))
  }
  const { csrf, headers } = formCookie(context)
  const { world, person } = found
  return asPage(signInLinkPage({ csrf, once, person: person.name, world: worldName(world) }), headers)
}

const deadLink = problemPage({
  title: 'This link has ended',
  words: ['A link that signs someone in works once, and not for long. Nobody was signed in.'],
  next: { href: 'sign-in', words: 'Sign in with a password' },
})

async function linkOf(
  context: Context,
  once: string,
): Promise<{ readonly world: World; readonly person: Person } | undefined> {
  const world = context.services.worlds.credentials.worldOfLink(once)
  if (!world) return undefined
  const person = await context.resultOf(
    world,
    world.read((view) => {
      const link = view.signInLinks.get(digestOf(once))
      return link && link.endsAtMs > Date.now() ? view.people.get(link.personId) : undefined
    }),
  )
  return person && !person.disabled ? { world, person } : undefined
}

async function byLink(context: Context, once: string): Promise<string> {
  const tried = attempt(context, undefined, tooMany())
  const found = await linkOf(context, once)
  if (found) context.cause.setActor({ kind: 'person', person: found.person.id })
  const headers = found && (await begun(context, found.world, { link: digestOf(once) }))
  if (!found || !headers) {
    tried.wrong()
    throw new Shown(asPage(deadLink))
  }
  tried.right()
  rememberBrowser(context, found.world, found.person)
  return seeOther('apps', headers)
}

/** Other people's failures no longer make this person wait in this browser. */
function rememberBrowser(context: Context, world: World, { name }: Person): void {
  const browser = browserOf(context)
  if (browser !== undefined)
    context.services.failedAttempts.remember({ kind: 'person', world, name }, browser)
}

/** Begins a session with a cookie nobody had before; what this browser had ends. The header that sets the cookie. */
async function begun(
  context: Context,
  world: World,
  by: { readonly personId: PersonId } | { readonly link: ReturnType<typeof digestOf> },
): Promise<readonly string[] | undefined> {
  const cookie = newCookie()
  const nowMs = Date.now()
  const decision = await context.resultOf(
    world,
    world.submit(
      {
        kind: 'signIn',
        by,
        session: digestOf(cookie),
        nowMs,
        endsAtMs: nowMs + SESSION_SECONDS * 1000,
        operatorUntilMs: nowMs + OPERATOR_MS,
        from: context.cause.from(),
      },
      (_, decided) => decided,
    ),
  )
  if (!decision.ok) return undefined
  await ended(context)
  return sessionHeader(context, cookie, SESSION_SECONDS)
}

/** Ends the session that the browser came with, if it had one. */
async function ended(context: Context): Promise<void> {
  const cookie = sessionCookie(context)
  const before = cookie && context.services.worlds.credentials.bySession(cookie, Date.now())
  if (before) await before.world.submit({ kind: 'signOut', session: before.digest }, () => undefined)
}
