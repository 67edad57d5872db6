import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { prebuiltPage } from '../prebuilt.ts'

/** The ETag of a body. */
export const tagOf = (body: string | Uint8Array): string => `"${hash('sha256', body, 'base64url')}"`

/** Whether If-None-Match has the tag. Proxies that compress a response make its tag a weak one. */
export function isKnownTag({ 'if-none-match': known }: IncomingHttpHeaders, tag: string): boolean {
  const tags = known?.split(',').map((one) => one.trim().replace(/^W\//, ''))
  return tags !== undefined && (tags.includes(tag) || tags.includes('*'))
}

/** A response with an ETag: 304 without a body if the client has this body. Only the client may store it. */
export function tagged(
  request: { readonly headers: IncomingHttpHeaders },
  body: string | Uint8Array,
  tag = tagOf(body),
): string {
  const isKnown = isKnownTag(request.headers, tag)
  return prebuiltPage(isKnown ? 304 : 200, isKnown ? undefined : body, ['ETag', tag], 'private, no-cache')
}
