import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ClientDisconnected } from '@quipu/broker/clock/long-work.ts'
import { type Operation, readQuery } from '@quipu/contract'
import { firstOf } from '@quipu/core/values'
import { type Refused, refuse } from '../../wire/refusal.ts'
import type { Exchange } from '../exchange.ts'
import type { Services } from '../services.ts'
import { admitBody, type CountBytes, DRAIN_BYTES, SMALL_BYTES } from './body-budget.ts'

/** Reads the body of a request that has one. It is read once, by the first step that needs it. */
export async function readBody(
  services: Services,
  exchange: Exchange & { readonly declared: Operation },
): Promise<void> {
  if (exchange.body !== undefined) return
  const { request, declared } = exchange
  const maxBytes = bodyMax(services.limits, declared)
  refuseIfTooLarge(request, maxBytes)
  const count = await admitBody(services, exchange, declared, maxBytes)
  const bytes = bodyBytes(exchange, maxBytes, count)
  exchange.body = bytes instanceof Promise ? await bytes : bytes
}

const DEFAULT_BYTES = 64 * 1024
const SIZES = { small: SMALL_BYTES, large: Number.POSITIVE_INFINITY } as const

/** The largest body that an operation accepts. */
export function bodyMax(
  limits: {
    readonly bodyMaxBytes: number
    readonly worldFileMaxBytes: number
    readonly runFileMaxBytes: number
  },
  { bodyKind, bodySize }: Operation,
): number {
  if (bodySize === 'run') return limits.runFileMaxBytes
  if (bodyKind === 'bytes') return limits.worldFileMaxBytes
  return Math.min(limits.bodyMaxBytes, bodySize === undefined ? DEFAULT_BYTES : SIZES[bodySize])
}

/** Refuses an encoded body. A node sends any body to another one as it came. */
export function checkEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw refuse({ code: 'unsupportedMediaType', expected: 'no content encoding', received: encoding })
}

/** Refuses a body that is announced as too large, before the client sends it. */
export function refuseIfTooLarge(request: IncomingMessage, maxBytes: number): void {
  if (isAnnounced(request) && Number(request.headers['content-length']) > maxBytes) throw tooLarge(maxBytes)
}

/**
 * The bytes of a body. Node parses a small body in the same packet as its headers, so it is complete by the next
 * microtask and needs no listeners. A client that waits for `100 Continue` sends its body from now on.
 */
export function bodyBytes(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  maxBytes: number,
  count?: CountBytes,
): Buffer | Promise<Buffer> {
  if (isAnnounced(request)) response.writeContinue()
  return isComplete(request) ? readNow(request, maxBytes) : readChunks(request, maxBytes, count)
}

/** Whether the whole body has arrived. */
export const isComplete = ({ readableLength, headers }: IncomingMessage): boolean =>
  readableLength === Number(headers['content-length'])

/** The JSON or form of a body, or the bytes of a file; undefined when it is empty. */
export function decodedBody(bytes: Buffer, operation: Operation): unknown {
  if (operation.bodyKind === 'bytes') return bytes
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw undecodable(operation)
  const text = bytes.toString('utf8')
  const isForm = operation.bodyKind === 'form' && !text.trimStart().startsWith('{')
  return isForm ? readQuery(text) : json(text, operation)
}

export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true
  const length = headers['content-length']
  return length !== undefined && length !== '0'
}

/** The client sends the body only after `100 Continue`. */
const isAnnounced = ({ headers: { expect }, httpVersion }: IncomingMessage): boolean =>
  expect !== undefined && httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(expect)

const tooLarge = (maxBytes: number): Refused =>
  refuse({ code: 'bodyTooLarge', limit: maxBytes }, ['Connection', 'close'])

/** Ignores Content-Type: some clients send none with JSON, and curl declares every body a form. */
function json(text: string, operation: Operation): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw undecodable(operation)
  }
}

const undecodable = ({ undecodable: code = 'bodyNotJson' }: Operation): Refused => refuse({ code })

function readNow(request: IncomingMessage, maxBytes: number): Buffer {
  if (request.readableLength > maxBytes) throw tooLarge(maxBytes)
  return request.read() as Buffer
}

/** Reads the end of a body that was read at once; Node keeps the request until then. */
export function finishBody(request: IncomingMessage): void {
  if (request.complete && request.readableLength === 0 && !request.readableEnded) request.read()
}

function readChunks(request: IncomingMessage, maxBytes: number, count?: CountBytes): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    // Refuses only after reading: closing a connection with unread bytes resets it, and the client loses the response.
    const refuseIt = () => reject(tooLarge(maxBytes))
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else chunks.length = 0
      if (size > maxBytes + DRAIN_BYTES) refuseIt()
      const refusal = size > SMALL_BYTES ? count?.(chunk.length) : undefined
      if (refusal) reject(refusal)
    })
    request.on('end', () => (size > maxBytes ? refuseIt() : resolve(joined(chunks, size))))
    request.on('error', () => reject(new ClientDisconnected()))
    request.on('close', () => {
      if (!request.complete) reject(new ClientDisconnected())
    })
  })
}

const joined = (chunks: readonly Buffer[], size: number): Buffer =>
  chunks.length === 1 ? firstOf(chunks) : Buffer.concat(chunks, size)
