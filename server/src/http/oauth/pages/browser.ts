import type { SignedInCaller } from '@quipu/broker/access/caller.ts'
import { sessionActor } from '@quipu/broker/access/caller.ts'
import { cookieIn, cookieKind, csrfOf, isCsrf, setCookie } from '@quipu/broker/access/cookies.ts'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import { mayOperate } from '@quipu/broker/access/session-tokens.ts'
import { MAIN_CODE, newCredential } from '@quipu/broker/access/world-code.ts'
import { JournalClosed } from '@quipu/broker/journal/journal.ts'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import { MAIN } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { Instant } from '@quipu/core'
import { instantOfMs } from '@quipu/core/values'
import { problemPage } from '../../../pages/problem-page.ts'
import type { Sheet } from '../../../pages/sheet.ts'
import { pageRedirect, requestUrl } from '../../connection/host.ts'
import { sourceOf } from '../../connection/origin.ts'
import type { Context } from '../../context.ts'
import { prebuiltPage, seeOther } from '../../prebuilt.ts'

/** Thrown by a page handler to answer with this page or redirect. */
export class PageResponse extends Error {
  readonly page: string

  constructor(page: string) {
    super('answered with a page')
    this.name = 'PageResponse'
    this.page = page
  }
}

export const asPage = ({ status, html, headers }: Sheet, extra: readonly string[] = []): string =>
  prebuiltPage(status, html, [...headers, ...extra])

/**
 * Wraps a page handler, so that errors are pages too. Pages link to each other by relative paths, which works behind
 * every proxy; a path with a slash at the end is redirected, because it would break the relative links.
 */
export function pageHandler<Input>(
  handler: (input: Input, context: Context) => Promise<string>,
): (input: Input, context: Context) => Promise<string> {
  return async (input, context) => {
    const [, name, slash, query = ''] = PAGE_PATH.exec(context.request.url ?? '') ?? []
    const otherHost = pageRedirect(context.request, context.services, `/oauth/${name ?? 'sign-in'}${query}`)
    if (otherHost !== undefined) return seeOther(otherHost)
    if (slash === '/') return seeOther(`../${name}${query}`)
    try {
      return await handler(input, context)
    } catch (error) {
      if (error instanceof PageResponse) return error.page
      if (error instanceof NotApplied || error instanceof JournalClosed)
        return asPage(busyPage, ['Retry-After', '1'])
      throw error
    }
  }
}

/** The last part of the path, an optional slash, and the query. */
const PAGE_PATH = /^[^?]*\/([\w-]+)(\/?)(\?.*)?$/

const busyPage = problemPage({
  title: 'One moment',
  status: 503,
  words: ['The broker is busy at the moment, and nothing was changed.', 'Please try again in a few seconds.'],
})

/** The world name that a page shows; none for `main`. */
export const browserWorldName = ({ id }: World): string | undefined => (id === MAIN ? undefined : id)

const kindOf = ({ request, services }: Context, purpose: 'session' | 'form') =>
  cookieKind(purpose, requestUrl(request, services))

export const sessionCookie = (context: Context): string | undefined =>
  cookieIn(context.request.headers.cookie, kindOf(context, 'session'))

/** The signed-in user of this browser, in the given world or in any. */
export function signedIn(
  context: Context,
  world?: World,
): (SignedInCaller & { readonly csrf: string }) | undefined {
  const cookie = sessionCookie(context)
  const found = cookie && context.services.worlds.access.credentials.bySession(cookie, Date.now())
  if (!cookie || !found || (world && found.world !== world)) return undefined
  context.cause.setActor(sessionActor(found))
  return { ...found, csrf: csrfOf(cookie) }
}

/** The user of this browser, also before the second factor. */
export function anySession(context: Context): (SignedInCaller & { readonly csrf: string }) | undefined {
  const cookie = sessionCookie(context)
  const found = cookie && context.services.worlds.access.credentials.byAnySession(cookie, Date.now())
  if (!cookie || !found) return undefined
  context.cause.setActor(sessionActor(found))
  return { ...found, csrf: csrfOf(cookie) }
}

/** The end of the operator rights of the session; undefined without rights. */
export function operatorUntil({
  user,
  session,
}: Pick<SignedInCaller, 'user' | 'session'>): Instant | undefined {
  if (!mayOperate(user, session, Date.now())) return undefined
  return instantOfMs(session.operatorUntilMs ?? 0)
}

/** A random cookie value that cannot be guessed, with the code of the session's world. */
export const newCookie = (code = MAIN_CODE): string => newCredential(code, 'base64url')

/** The header that begins a session; an empty value ends it. */
export function sessionHeader(context: Context, value: string, ageSeconds: number): readonly string[] {
  return ['Set-Cookie', setCookie(kindOf(context, 'session'), value, ageSeconds)]
}

/** A browser keeps this cookie for a year, so that the server recognizes a browser that signed in before. */
const FORM_SECONDS = 365 * 24 * 3600

/** Identifies a browser by the digest of its form cookie. */
export function browserOf(context: Context): string | undefined {
  const cookie = cookieIn(context.request.headers.cookie, kindOf(context, 'form'))
  return cookie && digestOf(cookie)
}

/** The CSRF cookie of a browser before sign-in. It does not change, so that forms in two windows both work. */
export function formCookie(context: Context): { readonly csrf: string; readonly headers: readonly string[] } {
  const kind = kindOf(context, 'form')
  const known = cookieIn(context.request.headers.cookie, kind)
  if (known) return { csrf: csrfOf(known), headers: [] }
  const value = newCookie()
  return { csrf: csrfOf(value), headers: ['Set-Cookie', setCookie(kind, value, FORM_SECONDS)] }
}

/** Whether a form from before sign-in comes from the browser that received it. */
export function isSameBrowserForm(context: Context, csrf: string | undefined): boolean {
  const cookie = cookieIn(context.request.headers.cookie, kindOf(context, 'form'))
  return cookie !== undefined && isCsrf(cookie, csrf) && !isForeign(context)
}

/** Whether a form of a signed-in user comes from the session that received it. */
export function isSameSessionForm(context: Context, csrf: string | undefined): boolean {
  const cookie = sessionCookie(context)
  return cookie !== undefined && isCsrf(cookie, csrf) && !isForeign(context)
}

/** The origins that `QUIPU_CORS` allows may call the API, and may not use our forms. */
const isForeign = ({ request, services }: Context): boolean => sourceOf(request, services) === 'foreign'
