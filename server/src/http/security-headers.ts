import { createHash } from 'node:crypto'

/** The URL under which clients reach the server. */
export type ServerUrl = { readonly url: string }

/** Browsers do not guess content types, and no cache stores the response. */
const plain = ['X-Content-Type-Options', 'nosniff', 'Cache-Control', 'no-store'] as const
/** Browsers use only https for a year. */
const secure = [...plain, 'Strict-Transport-Security', 'max-age=31536000'] as const

/** The header names and values of every response, flat. */
export const securityHeaders = ({ url }: ServerUrl): readonly string[] =>
  url.startsWith('https:') ? secure : plain

/** Header names and values, flat, as lines of text. */
export const asLines = (flat: readonly string[]): readonly string[] =>
  flat.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${flat[index + 1]}`] : []))

/** The policy of a public page: only its own style, no scripts, no forms, and no frames on other sites. */
export function pageHeaders(page: string | Uint8Array): readonly (readonly [name: string, value: string])[] {
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(String(page)) ?? []
  const digest = createHash('sha256').update(style).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${digest}'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`
  return [
    ['Content-Security-Policy', policy],
    ['X-Frame-Options', 'DENY'],
    ['Referrer-Policy', 'same-origin'],
  ]
}
