import { type CallOptions, type Client, type OperationName, routes } from './contract.ts'
import { ApiError } from './errors.ts'
import type { RateLimit } from './rate-limit.ts'
import { agentHeaders, type Credential, credentialHeaders, prepare, type RequestParts } from './request.ts'
import { type HttpRequest, type RetryHooks, sendRequest, textOf, transportOf } from './send.ts'

/** How requests are sent. */
export type RequestOptions = RetryHooks & {
  readonly fetch?: typeof fetch
  /** How often a GET is retried. Default: 2. */
  readonly retries?: number
  readonly retryDelayMs?: number
  /** Timeout of one attempt in milliseconds. Default: 30000. */
  readonly timeoutMs?: number
  /** Requests wait until they are within this budget. Default: none. */
  readonly rateLimit?: RateLimit | undefined
}

export type ClientOptions = Credential &
  RequestOptions & {
    /** Where the server is, e.g. `http://127.0.0.1:7878`. */
    readonly url: string
  }

/** A client of one server for one credential. Every method throws ApiError or NetworkError. */
export function createClient(options: ClientOptions): Client {
  const base = options.url.replace(/\/+$/, '')
  const headers = { ...credentialHeaders(options), accept: 'application/json', ...agentHeaders }
  const transport = transportOf(options)
  const call = async (
    name: OperationName,
    parts: RequestParts,
    { signal, onResponse }: CallOptions,
  ): Promise<unknown> => {
    const { path, ...prepared } = prepare(routes[name], parts)
    const request: HttpRequest = {
      ...prepared,
      url: base + path,
      headers: { ...headers, ...prepared.headers },
      signal,
      onResponse,
    }
    return read(name, await sendRequest(transport, request))
  }
  const methods = (Object.keys(routes) as OperationName[]).map((name) => [
    name,
    (parts: RequestParts = {}, callOptions: CallOptions = {}) => call(name, parts, callOptions),
  ])
  return Object.fromEntries(methods) as Client
}

function read(name: OperationName, bytes: Uint8Array): unknown {
  const { response } = routes[name]
  if (response === 'bytes') return bytes
  if (response === 'empty') return undefined
  const text = textOf(bytes)
  if (response === 'text') return text
  try {
    return JSON.parse(text)
  } catch {
    const message = `${name}: expected JSON, received ${JSON.stringify(text.slice(0, 60))}; is this the right URL?`
    throw new ApiError({ status: 200, message, body: text })
  }
}
