import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorResponse } from '@quipu/contract'
import { uncountedHeaders } from '../access/rate-limits.ts'
import type { Reason } from '../wire/refusal.ts'
import { publicUrlOf } from './host.ts'
import { nextRequestId } from './request-id.ts'
import type { RawAnswered } from './request-log.ts'
import { asLines, securityHeaders } from './security-headers.ts'
import type { Services } from './services.ts'

/** The time that the client has to read the last response of a connection. */
const LINGER_MS = 500

/** Writes a response where Node has no response object: malformed HTTP, or a refused upgrade. */
export function answerRaw(
  socket: Duplex,
  reason: Reason,
  services: Pick<Services, 'serverState'> & { readonly limits: { readonly rateLimit: number } },
): RawAnswered {
  const { status, body } = errorResponse(reason.code, reason)
  const requestId = nextRequestId()
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-ID: ${requestId}`,
    'Connection: close',
    ...asLines(securityHeaders({ url: publicUrlOf(services) })),
    ...asLines(uncountedHeaders(services.limits.rateLimit)),
  ]
  if (status === 503) head.push('Retry-After: 1')
  // Drops incoming bytes for a moment: closing with unread bytes resets the connection, and the response is lost.
  socket.on('error', () => socket.destroy())
  socket.once('end', () => socket.destroy())
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
  socket.resume()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  return { status, requestId, code: body.code, reason: body.reason }
}
