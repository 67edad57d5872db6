import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/** A response whose bytes are made while they are sent. */
export class FileStream {
  /** The suggested name of the file. */
  readonly name: string
  readonly chunks: AsyncIterable<Uint8Array>

  constructor(name: string, chunks: AsyncIterable<Uint8Array>) {
    this.name = name
    this.chunks = chunks
  }
}

/** A file with the type of the bytes that an operation declares. */
export const fileStream = (name: string, chunks: AsyncIterable<Uint8Array>): Uint8Array =>
  new FileStream(name, chunks) as unknown as Uint8Array

type Exchange = {
  readonly response: ServerResponse
  /** `uncount`: the request no longer holds back the move of a world. */
  readonly progress: { uncount(): void }
}

/** A client that does not read for this long is slow. */
const SLOW_MS = 250

/**
 * Writes the chunks as the client reads them. If that fails, the connection is closed, so that no client takes a part for
 * the whole. Never rejects.
 */
export async function writeFile(
  exchange: Exchange,
  { chunks }: FileStream,
  timeoutMs: number,
  failed: (error: unknown) => void,
): Promise<void> {
  const { response } = exchange
  const { socket } = response.req
  try {
    for await (const chunk of chunks) {
      if (!socket.writable) return
      if (!response.write(chunk)) await drained(exchange, timeoutMs)
    }
    response.end()
  } catch (error) {
    if (socket.writable) failed(error)
    socket.destroy()
  }
}

/** Resolves when the client has read, or rejects if it does not within the time. */
async function drained(exchange: Exchange, timeoutMs: number): Promise<void> {
  const { response } = exchange
  const waiting = new AbortController()
  const { socket } = response.req
  const closed = () => waiting.abort(new Error('the client disconnected'))
  const timer = setTimeout(() => waiting.abort(new Error('the client reads too slowly')), timeoutMs)
  const slowTimer = setTimeout(() => exchange.progress.uncount(), SLOW_MS)
  socket.once('close', closed)
  try {
    await once(response, 'drain', { signal: waiting.signal })
  } finally {
    clearTimeout(timer)
    clearTimeout(slowTimer)
    socket.off('close', closed)
  }
}
