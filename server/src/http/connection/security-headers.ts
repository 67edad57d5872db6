/** The URL under which clients reach the server. */
type ServerUrl = { readonly url: string }

/** Browsers do not guess content types, and no cache stores the response. */
const plain = ['X-Content-Type-Options', 'nosniff', 'Cache-Control', 'no-store'] as const
/** Browsers use only https for a year. */
const secure = [...plain, 'Strict-Transport-Security', 'max-age=31536000'] as const

/** The header names and values of every response, flat. */
export function securityHeaders({ url }: ServerUrl, cacheControl?: string): readonly string[] {
  const headers: readonly string[] = url.startsWith('https:') ? secure : plain
  return cacheControl === undefined ? headers : headers.with(3, cacheControl)
}

/** Header names and values, flat, as lines of text. */
export const asLines = (flat: readonly string[]): readonly string[] =>
  flat.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${flat[index + 1]}`] : []))
