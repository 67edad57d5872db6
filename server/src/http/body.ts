import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { type Operation, readQuery } from '@quipu/contract'
import { ClientDisconnected } from '../process/long-work.ts'
import { type Refused, refuse } from '../wire/refusal.ts'

/** How many limits are read and dropped, so that a client that listens only then gets its answer. */
const DRAIN_FACTOR = 16

/** Whether there is a body to read, or one on its way; refuses one that will not be read. */
export function awaitsBody(request: IncomingMessage, maxBytes: number): boolean {
  if (!hasBody(request)) return false
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw refuse({ code: 'unsupportedMediaType', expected: 'no content encoding', received: encoding })
  if (isAnnounced(request) && Number(request.headers['content-length']) > maxBytes) throw tooLarge(maxBytes)
  return true
}

/**
 * The bytes of a body. A small one comes in one packet with its headers, which Node goes through when it tells of the
 * request: by the next microtask it is here, and nobody needs to listen for its parts.
 */
export function bodyBytes(request: IncomingMessage, maxBytes: number): Buffer | Promise<Buffer> {
  const isHere = request.readableLength === Number(request.headers['content-length'])
  return isHere ? arrived(request, maxBytes) : gathered(request, maxBytes)
}

/** What a body says; undefined when it is empty. */
export function decodedBody(bytes: Buffer, operation: Operation): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw undecodable(operation)
  const text = bytes.toString('utf8')
  const isForm = operation.bodyKind === 'form' && !text.trimStart().startsWith('{')
  return isForm ? readQuery(text) : json(text, operation)
}

/** Chunked, or of a length. */
function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true
  const length = headers['content-length']
  return length !== undefined && length !== '0'
}

/** Its client waits for a word before it sends the body; without one, there is nothing to read. */
const isAnnounced = ({ headers }: IncomingMessage): boolean =>
  headers.expect?.toLowerCase() === '100-continue'

const tooLarge = (maxBytes: number): Refused =>
  refuse({ code: 'bodyTooLarge', limit: maxBytes }, ['Connection', 'close'])

/** Whatever the Content-Type: some clients send none with JSON, and curl calls everything a form. */
function json(text: string, operation: Operation): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw undecodable(operation)
  }
}

const undecodable = ({ undecodable: code = 'bodyNotJson' }: Operation): Refused => refuse({ code })

function arrived(request: IncomingMessage, maxBytes: number): Buffer {
  if (request.readableLength > maxBytes) throw tooLarge(maxBytes)
  return request.read() as Buffer
}

/** A body that was taken at once leaves its end unread, and Node would hold on to the request until that is read too. */
export function leaveBody(request: IncomingMessage): void {
  if (request.complete && request.readableLength === 0 && !request.readableEnded) request.read()
}

function gathered(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    // Only after all was read: closing over unread bytes would take the answer back.
    const refuseIt = () => reject(tooLarge(maxBytes))
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else chunks.length = 0
      if (size > maxBytes * DRAIN_FACTOR) refuseIt()
    })
    request.on('end', () => (size > maxBytes ? refuseIt() : resolve(joined(chunks, size))))
    request.on('error', () => reject(new ClientDisconnected()))
    request.on('close', () => {
      if (!request.complete) reject(new ClientDisconnected())
    })
  })
}

const joined = (chunks: readonly Buffer[], size: number): Buffer =>
  chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
