import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import type { RequestOptions } from 'node:https'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'

/**
 * The `fetch` of commands, on the HTTP client of Node. The `fetch` of Node loads another client, which takes 0.07 CPU seconds. It has
 * what the SDK needs: a body of text or bytes, and no redirects.
 */
export async function nodeFetch(
  url: string,
  { method = 'GET', headers, body, signal }: RequestInit = {},
  tls: RequestOptions = {},
): Promise<Response> {
  const request = url.startsWith('https:') ? (await import('node:https')).request : requestHttp
  const bytes = body == null ? undefined : Buffer.from(body as string)
  const length = bytes && { 'content-length': bytes.length }
  const sent = { ...(headers as Record<string, string>), ...length }
  const outgoing = request(url, { ...tls, method, headers: sent, signal: signal ?? undefined })
  // Nobody else handles the error of a response that is not read.
  const ignore = () => {}
  outgoing.on('error', ignore).end(bytes)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  response.on('error', ignore)
  if (REDIRECTS.has(response.statusCode!)) {
    response.resume()
    throw new TypeError(`unexpected redirect to ${response.headers.location}`)
  }
  return new NodeResponse(response) as unknown as Response
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The parts of `Response` that the SDK and the scenario runner use: Node loads its HTTP client for the global one too. */
class NodeResponse implements Pick<Response, 'status' | 'ok' | 'text' | 'json' | 'arrayBuffer'> {
  readonly status: number
  readonly headers: Pick<Headers, 'get' | 'has'>
  readonly #response: IncomingMessage
  #bytes: Promise<Buffer<ArrayBuffer>> | undefined

  constructor(response: IncomingMessage) {
    this.#response = response
    this.status = response.statusCode!
    const { headersDistinct } = response
    this.headers = {
      get: (name) => headersDistinct[name.toLowerCase()]?.join(', ') ?? null,
      has: (name) => name.toLowerCase() in headersDistinct,
    }
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  get body(): ReadableStream {
    return Readable.toWeb(this.#response) as ReadableStream
  }

  /** Both can be read, because the body is kept. */
  clone(): this {
    return this
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer, byteOffset, length } = await this.#read()
    return buffer.slice(byteOffset, byteOffset + length)
  }

  async text(): Promise<string> {
    return (await this.#read()).toString()
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  #read(): Promise<Buffer<ArrayBuffer>> {
    this.#bytes ??= buffer(this.#response) as Promise<Buffer<ArrayBuffer>>
    return this.#bytes
  }
}
