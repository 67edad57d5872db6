import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorAnswer } from '@quipu/contract'
import { uncountedHeaders } from '../access/rate-limits.ts'
import type { Reason } from '../wire/refusal.ts'
import { nextRequestId } from './request-id.ts'
import { asLines, type Place, securityHeaders } from './security-headers.ts'

/** How long the other side has to read the last answer on a connection. */
const LINGER_MS = 500

export type RawAnswered = {
  readonly status: number
  readonly requestId: string
  readonly code: number
  readonly reason: string
}

/** An answer where Node has no response to write to: bytes that are no HTTP, an upgrade that is refused. */
export function answerRaw(
  socket: Duplex,
  reason: Reason,
  {
    serverState,
    limits,
  }: { readonly serverState: Place; readonly limits: { readonly rateLimitPerMinute: number } },
): RawAnswered {
  const { status, body } = errorAnswer(reason.code, reason)
  const requestId = nextRequestId()
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-ID: ${requestId}`,
    'Connection: close',
    ...asLines(securityHeaders(serverState)),
    ...asLines(uncountedHeaders(limits.rateLimitPerMinute)),
  ]
  if (status === 503) head.push('Retry-After: 1')
  // What still comes in is dropped for a moment: closing over unread bytes would take the answer back.
  socket.on('error', () => socket.destroy())
  socket.once('end', () => socket.destroy())
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
  socket.resume()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  return { status, requestId, code: body.code, reason: body.reason }
}
