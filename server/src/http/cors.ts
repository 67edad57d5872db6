import type { IncomingHttpHeaders } from 'node:http'
import type { Cors } from '../config/settings.table.ts'

const EXPOSED = [
  'X-Request-ID',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'X-Quipu-Seq',
  'X-Quipu-World',
  'X-Quipu-Version',
].join(', ')
const ACCEPTED = 'Authorization, Content-Type, APCA-API-KEY-ID, APCA-API-SECRET-KEY, Idempotency-Key'
const KEPT_SECONDS = '600'

export const isAllowedOrigin = (cors: Cors, origin: string | undefined): boolean =>
  cors === '*' || (cors !== 'off' && origin !== undefined && cors.includes(origin))

/** What lets a page of another origin read an answer; nothing where that origin may not. */
export function corsHeaders(cors: Cors, origin: string | undefined): readonly string[] {
  if (origin === undefined || !isAllowedOrigin(cors, origin)) return []
  const allowed = cors === '*' ? '*' : origin
  const headers = ['Access-Control-Allow-Origin', allowed, 'Access-Control-Expose-Headers', EXPOSED]
  return cors === '*' ? headers : [...headers, 'Vary', 'Origin']
}

/** What a browser asks before a call with headers of its own. */
export function preflightHeaders(cors: Cors, headers: IncomingHttpHeaders): readonly string[] {
  if (corsHeaders(cors, headers.origin).length === 0) return []
  return [
    'Access-Control-Allow-Methods',
    'GET, POST, PUT, PATCH, DELETE',
    'Access-Control-Allow-Headers',
    ACCEPTED,
    'Access-Control-Max-Age',
    KEPT_SECONDS,
  ]
}
