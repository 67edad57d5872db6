import { randomBytes } from 'node:crypto'
import type { Instant } from '@quipu/core'
import { sessionActor } from '../../access/actor.ts'
import type { SignedIn } from '../../access/caller.ts'
import { digestOf } from '../../access/credentials.ts'
import { mayOperate } from '../../access/session-tokens.ts'
import { JournalClosed } from '../../journal/journal.ts'
import { cookieIn, cookieKind, setCookie } from '../../pages/cookies.ts'
import { csrfOf, isCsrf } from '../../pages/csrf.ts'
import { problemPage } from '../../pages/problem-page.ts'
import type { Sheet } from '../../pages/sheet.ts'
import { NotApplied } from '../../process/not-applied.ts'
import type { World } from '../../world/world.ts'
import { MAIN } from '../../worlds/worlds.ts'
import type { Context } from '../context.ts'
import { pageRedirect, requestUrl } from '../host.ts'
import { sourceOf } from '../origin.ts'
import { page, seeOther } from '../prebuilt.ts'

/** Ends a handler with a page, or with the way to another. */
export class Shown extends Error {
  readonly page: string

  constructor(page: string) {
    super('shown as a page')
    this.name = 'Shown'
    this.page = page
  }
}

export const asPage = ({ status, html, headers }: Sheet, extra: readonly string[] = []): string =>
  page(status, html, [...headers, ...extra])

/**
 * Handlers of pages: whatever ends one early is a page as well. Pages lead to each other by names relative to where they
 * are, which holds behind every proxy; so they are all in one place, also for who writes a slash at the end.
 */
export function paged<Input>(
  handler: (input: Input, context: Context) => Promise<string>,
): (input: Input, context: Context) => Promise<string> {
  return async (input, context) => {
    const [, name, slash, query = ''] = PLACE.exec(context.request.url ?? '') ?? []
    const elsewhere = pageRedirect(context.request, context.services, `/oauth/${name ?? 'sign-in'}${query}`)
    if (elsewhere !== undefined) return seeOther(elsewhere)
    if (slash === '/') return seeOther(`../${name}${query}`)
    try {
      return await handler(input, context)
    } catch (error) {
      if (error instanceof Shown) return error.page
      if (error instanceof NotApplied || error instanceof JournalClosed)
        return asPage(busyPage, ['Retry-After', '1'])
      throw error
    }
  }
}

/** The last part of the path, the slash that may end it, and the query. */
const PLACE = /^[^?]*\/([\w-]+)(\/?)(\?.*)?$/

const busyPage = problemPage({
  title: 'One moment',
  status: 503,
  words: ['The broker is busy at the moment, and nothing was done.', 'Please try again in some seconds.'],
})

/** What a page says of a world: nothing, where it is the one everybody means. */
export const worldName = ({ id }: World): string | undefined => (id === MAIN ? undefined : id)

const kindOf = ({ request, services }: Context, what: 'session' | 'form') =>
  cookieKind(what, requestUrl(request, services))

export const sessionCookie = (context: Context): string | undefined =>
  cookieIn(context.request.headers.cookie, kindOf(context, 'session'))

/** Who is signed in at this browser, in this world where one is named. */
export function signedIn(
  context: Context,
  world?: World,
): (SignedIn & { readonly csrf: string }) | undefined {
  const cookie = sessionCookie(context)
  const found = cookie && context.services.worlds.credentials.bySession(cookie, Date.now())
  if (!cookie || !found || (world && found.world !== world)) return undefined
  context.cause.setActor(sessionActor(found))
  return { ...found, csrf: csrfOf(cookie) }
}

/** Until when the session may act as an operator; nothing where it may not. */
export function operatorUntil({
  person,
  session,
}: Pick<SignedIn, 'person' | 'session'>): Instant | undefined {
  if (!mayOperate(person, session, Date.now())) return undefined
  return (BigInt(session.operatorUntilMs ?? 0) * 1_000_000n) as Instant
}

/** A value nobody can guess, for a cookie. */
export const newCookie = (): string => randomBytes(32).toString('base64url')

/** The header that begins a session; an empty value ends it. */
export function sessionHeader(context: Context, value: string, ageSeconds: number): readonly string[] {
  return ['Set-Cookie', setCookie(kindOf(context, 'session'), value, ageSeconds)]
}

/** A browser keeps this cookie for a year, so that it is known as one that signed in before. */
const FORM_SECONDS = 365 * 24 * 3600

/** The digest of the cookie for forms: the same browser has the same. */
export function browserOf(context: Context): string | undefined {
  const cookie = cookieIn(context.request.headers.cookie, kindOf(context, 'form'))
  return cookie && digestOf(cookie)
}

/** Who has not signed in yet has a cookie for forms alone. It stays as it is, so that two windows do not disturb each other. */
export function formCookie(context: Context): { readonly csrf: string; readonly headers: readonly string[] } {
  const kind = kindOf(context, 'form')
  const known = cookieIn(context.request.headers.cookie, kind)
  if (known) return { csrf: csrfOf(known), headers: [] }
  const value = newCookie()
  return { csrf: csrfOf(value), headers: ['Set-Cookie', setCookie(kind, value, FORM_SECONDS)] }
}

/** Whether a form of ours was sent by the browser that was given it, before anyone signed in there. */
export function isOwnForm(context: Context, csrf: string | undefined): boolean {
  const cookie = cookieIn(context.request.headers.cookie, kindOf(context, 'form'))
  return cookie !== undefined && isCsrf(cookie, csrf) && !isForeign(context)
}

/** The same for who is signed in. */
export function isOwnSessionForm(context: Context, csrf: string | undefined): boolean {
  const cookie = sessionCookie(context)
  return cookie !== undefined && isCsrf(cookie, csrf) && !isForeign(context)
}

/** The origins that `QUIPU_CORS` allows may call the API, and may not use our forms. */
const isForeign = ({ request, services }: Context): boolean => sourceOf(request, services) === 'foreign'
