/** How a cookie is set. With https it is bound to its host, which needs the path `/`; without, only our pages get it. */
export type CookieKind = { readonly name: string; readonly isSecure: boolean; readonly path: string }

const names = { session: 'quipu_session', form: 'quipu_form' } as const

/** `url` is where the server is reached. */
export function cookieKind(what: keyof typeof names, url: string): CookieKind {
  const { protocol, pathname } = new URL(url)
  return protocol === 'https:'
    ? { name: `__Host-${names[what]}`, isSecure: true, path: '/' }
    : { name: names[what], isSecure: false, path: `${pathname.replace(/\/$/, '')}/oauth` }
}

/** 32 random bytes in letters: whatever else comes in a cookie was not set here. */
const OURS = /^[A-Za-z0-9_-]{43}$/

/** The value a browser sent; the first, where there are several. */
export function cookieIn(header: string | undefined, { name }: CookieKind): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    if (pair.slice(0, equals).trim() !== name) continue
    const value = pair.slice(equals + 1).trim()
    return OURS.test(value) ? value : undefined
  }
  return undefined
}

/** No script reads it, and no other site's form brings it along. Without an age it ends with the browser; 0 removes it. */
export function setCookie({ name, isSecure, path }: CookieKind, value: string, ageSeconds?: number): string {
  const age = ageSeconds === undefined ? '' : `; Max-Age=${ageSeconds}`
  return `${name}=${value}; Path=${path}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}${age}`
}
