import { hash, timingSafeEqual } from 'node:crypto'

/** The attributes of a cookie. With https it is bound to its host, which requires path `/`; with http only to our pages. */
export type CookieKind = { readonly name: string; readonly isSecure: boolean; readonly path: string }

const names = { session: 'quipu_session', form: 'quipu_form' } as const

/** `url` is the URL of the server. */
export function cookieKind(what: keyof typeof names, url: string): CookieKind {
  const { protocol, pathname } = new URL(url)
  return protocol === 'https:'
    ? { name: `__Host-${names[what]}`, isSecure: true, path: '/' }
    : { name: names[what], isSecure: false, path: `${pathname.replace(/\/$/, '')}/oauth` }
}

/** 32 random bytes in base64url; any other cookie value was not set by Quipu. */
const OURS = /^[A-Za-z0-9_-]{43}$/

/** The cookie value that a browser sent; the first if there are several. */
export function cookieIn(header: string | undefined, { name }: CookieKind): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    if (pair.slice(0, equals).trim() !== name) continue
    const value = pair.slice(equals + 1).trim()
    return OURS.test(value) ? value : undefined
  }
  return undefined
}

/** HttpOnly and SameSite. Without an age the cookie ends with the browser session; 0 deletes it. */
export function setCookie({ name, isSecure, path }: CookieKind, value: string, ageSeconds?: number): string {
  const age = ageSeconds === undefined ? '' : `; Max-Age=${ageSeconds}`
  return `${name}=${value}; Path=${path}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}${age}`
}

/** The CSRF token of a form: only the holder of the cookie can compute it, and it does not reveal the cookie. */
export const csrfOf = (cookie: string): string => hash('sha256', `quipu form ${cookie}`, 'base64url')

export function isCsrf(cookie: string, token: string | undefined): boolean {
  const wanted = Buffer.from(csrfOf(cookie))
  const received = Buffer.from(token ?? '')
  return received.length === wanted.length && timingSafeEqual(received, wanted)
}
