import { createHash } from 'node:crypto'

/** Where the server is reached. */
export type Place = { readonly url: string }

/** Browsers take no response for another type than it names, and nobody keeps a copy. */
const plain = ['X-Content-Type-Options', 'nosniff', 'Cache-Control', 'no-store'] as const
/** Browsers use https alone for a year. */
const secure = [...plain, 'Strict-Transport-Security', 'max-age=31536000'] as const

/** The header names and values of every response, flat. */
export const securityHeaders = ({ url }: Place): readonly string[] =>
  url.startsWith('https:') ? secure : plain

/** Header names and values, flat, as lines of text. */
export const asLines = (flat: readonly string[]): readonly string[] =>
  flat.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${flat[index + 1]}`] : []))

/** What a public page may do: apply its own style, and nothing else. No other site may show it in a frame. */
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
