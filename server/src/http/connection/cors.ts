import type { IncomingHttpHeaders } from 'node:http'
import type { Cors } from '../../config/settings.table.ts'

const EXPOSED_HEADERS = [
  'X-Request-ID',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'X-Quipu-Seq',
  'X-Quipu-World',
  'X-Quipu-Version',
].join(', ')
const ACCEPTED_HEADERS = 'Authorization, Content-Type, APCA-API-KEY-ID, APCA-API-SECRET-KEY, Idempotency-Key'
const MAX_AGE_SECONDS = '600'

export const isAllowedOrigin = (cors: Cors, origin: string | undefined): boolean =>
  cors === '*' || (cors !== 'off' && origin !== undefined && cors.includes(origin))

/** The headers that let a page of another origin read the response; none if the origin is not allowed. */
export function corsHeaders(cors: Cors, origin: string | undefined): readonly string[] {
  if (origin === undefined || !isAllowedOrigin(cors, origin)) return []
  const allowed = cors === '*' ? '*' : origin
  const headers = ['Access-Control-Allow-Origin', allowed, 'Access-Control-Expose-Headers', EXPOSED_HEADERS]
  return cors === '*' ? headers : [...headers, 'Vary', 'Origin']
}

/** The response headers for the preflight request of a browser. */
export function preflightHeaders(cors: Cors, headers: IncomingHttpHeaders): readonly string[] {
  if (corsHeaders(cors, headers.origin).length === 0) return []
  return [
    'Access-Control-Allow-Methods',
    'GET, POST, PUT, PATCH, DELETE',
    'Access-Control-Allow-Headers',
    ACCEPTED_HEADERS,
    'Access-Control-Max-Age',
    MAX_AGE_SECONDS,
  ]
}
