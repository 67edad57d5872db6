import type { App } from './app.ts'

/** A loopback URI, such as `http://127.0.0.1:41920/callback`. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?(\/[^#]*)?$/

/** Exact match, except that native apps may use any loopback port. */
export function matchesRedirectUri(app: Pick<App, 'redirectUris' | 'isNative'>, uri: string): boolean {
  if (app.redirectUris.includes(uri)) return true
  const plain = app.isNative ? withoutPort(uri) : undefined
  return plain !== undefined && app.redirectUris.some((known) => withoutPort(known) === plain)
}

function withoutPort(uri: string): string | undefined {
  const [, host, , rest = ''] = LOOPBACK.exec(uri) ?? []
  return host === undefined ? undefined : `http://${host}${rest}`
}

/**
 * A web address (plain http only on loopback), or an app's custom scheme such as `com.example.app:/callback`;
 * no fragment, no script. `*` and `,` are refused, because other servers read them as a pattern and as a list.
 */
export function isRedirectUri(uri: string): boolean {
  if (uri.length > 2048 || /[^!-~]|[#\\<>"'`*,]/.test(uri)) return false
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase()
  if (scheme === 'https') return /^https:\/\/[^/?@]+(?:[/?].*)?$/i.test(uri)
  if (scheme === 'http') return /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?(?:[/?].*)?$/i.test(uri)
  return scheme?.includes('.') ?? false
}
