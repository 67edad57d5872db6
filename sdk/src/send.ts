import { ApiError, errorFrom, NetworkError } from './errors.ts'

/** How requests travel. */
export type Transport = {
  readonly fetch: typeof fetch
  /** How often a GET is tried again. */
  readonly retries: number
  /** The first pause; each further one is twice as long, up to five seconds, ±20 %. */
  readonly retryDelayMs: number
  /** For one attempt, its body included. */
  readonly timeoutMs: number
}

/** As a client was told, or as most want it. */
export const transportOf = (given: Partial<Transport>): Transport => ({
  fetch: given.fetch ?? fetch,
  retries: given.retries ?? 2,
  retryDelayMs: given.retryDelayMs ?? 250,
  timeoutMs: given.timeoutMs ?? 30_000,
})

export type HttpRequest = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal | undefined
}

const RETRIED: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])
const DELAY_MAX_MS = 5000

const decoder = new TextDecoder()
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes)

/** The body of a good answer. Throws ApiError or NetworkError; only a GET is tried again before that. */
export async function send(transport: Transport, request: HttpRequest): Promise<Uint8Array> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await once(transport, request)
    if (outcome instanceof Uint8Array) return outcome
    const isLast = request.method !== 'GET' || attempt >= transport.retries || request.signal?.aborted
    if (isLast || !isPassing(outcome)) throw outcome
    await pause(delayMs(transport, attempt, outcome), request.signal)
  }
}

async function once(
  { fetch, timeoutMs }: Transport,
  { method, url, headers, body, signal }: HttpRequest,
): Promise<Uint8Array | ApiError | NetworkError> {
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      ...(body === undefined ? {} : { body }),
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    return response.ok ? bytes : errorFrom(response.status, response.headers, textOf(bytes))
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    const why = deadline.aborted ? `no whole answer within ${timeoutMs} ms` : reasonOf(cause)
    return new NetworkError(`${method} ${url}: ${why}`, { cause })
  }
}

/** Whether it may go better in a while. */
export const isPassing = (error: ApiError | NetworkError): boolean =>
  error instanceof NetworkError || RETRIED.has(error.status)

/** How long to wait after so many attempts that came to this. */
export function delayMs(
  { retryDelayMs }: Transport,
  attempt: number,
  error: ApiError | NetworkError,
): number {
  const told = error instanceof ApiError ? error.retryAfterMs : undefined
  // Spread, so that clients turned away together do not come back together.
  return Math.min(told ?? retryDelayMs * 2 ** attempt * (0.8 + Math.random() * 0.4), DELAY_MAX_MS)
}

export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted)
      resolve()
    }, ms)
    signal?.addEventListener('abort', aborted, { once: true })
  })
}

/** `fetch failed` says nothing; what lies beneath does. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const beneath = error.cause instanceof Error ? error.cause : error
  const code = (beneath as { code?: unknown }).code
  return beneath.message || (typeof code === 'string' ? code : beneath.name)
}
