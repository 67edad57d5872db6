import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { plainAddress } from '@quipu/broker/access/addresses.ts'
import { uncountedHeaders } from '@quipu/broker/access/rate-limits.ts'
import { errorResponse } from '@quipu/contract'
import { textBefore } from '@quipu/core/values'
import type { Reason } from '../wire/refusal.ts'
import { clientFacts } from './connection/client-address.ts'
import { publicUrlOf } from './connection/host.ts'
import { asLines, securityHeaders } from './connection/security-headers.ts'
import { nextRequestId } from './exchange.ts'
import { loggedPathOf, originForm } from './logged-text.ts'
import type { RawAnswered } from './request-log.ts'
import type { Services } from './services.ts'

/** The time that the client has to read the last response of a connection. */
const LINGER_MS = 500

type RawServices = Pick<Services, 'serverState' | 'limits' | 'settings' | 'monitoring' | 'log'>

/** A request whose response Node does not write. */
type RawRequest = {
  /** Absent if it is not HTTP. */
  readonly request?: IncomingMessage
  readonly reason: Reason
  /** Why Node could not read it. */
  readonly problem?: string | undefined
}

/**
 * Answers where Node has no response object: malformed HTTP, CONNECT, or a refused upgrade. Every such response is counted, and
 * is in the log and in the request log.
 */
export function refuseRaw(
  services: RawServices,
  socket: Duplex,
  { request, reason, problem }: RawRequest,
): void {
  const answered = answerRaw(services, socket, reason)
  const { status, requestId, code, reason: word } = answered
  const [method = '', path] = request ? [request.method, pathOf(request)] : ['', '']
  const client = request
    ? clientFacts(request, services.settings)
    : { address: plainAddress((socket as Socket).remoteAddress ?? '') }
  services.monitoring.metrics.responded('none', status, 0)
  services.monitoring.requests.addRaw(method, path, answered)
  const facts = { status, problem, request: requestId, code, reason: word, ...client }
  services.log.info(request ? `${method} ${path}` : 'malformed request', facts)
}

/** CONNECT names a host and a port instead of a path. */
const pathOf = ({ url = '' }: IncomingMessage): string => loggedPathOf(textBefore(originForm(url), '?'))

/** Answers without a record of it. */
export function answerRaw(services: RawServices, socket: Duplex, reason: Reason): RawAnswered {
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
