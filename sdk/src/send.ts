import type { ResponseInfo } from './contract.ts'
import { ApiError, errorFrom, NetworkError } from './errors.ts'
import { type RateLimit, takeSlot } from './rate-limit.ts'
import { type Credential, withCurrentToken } from './request.ts'

/** An attempt that failed. */
export type RetryEvent = {
  /** `GET https://…`, or the call that is executed once: `order …`. */
  readonly request: string
  /** Number of attempts so far. */
  readonly attempt: number
  /** Milliseconds until the next attempt. */
  readonly delayMs: number
  readonly error: unknown
}

export type RetryHooks = {
  /** Called before a failed request is sent again. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined
  /** Called when a request that may be repeated is not repeated any more. */
  readonly onGiveUp?: ((event: RetryEvent) => void) | undefined
}

/** Settings for HTTP requests. */
export type Transport = RetryHooks & {
  readonly fetch: typeof fetch
  /** How often a GET is retried. */
  readonly retries: number
  /** The first delay; each further one is doubled, up to five seconds, ±20 %. */
  readonly retryDelayMs: number
  /** Timeout of one attempt, including its body. */
  readonly timeoutMs: number
  readonly rateLimit?: RateLimit | undefined
}

/** The options with defaults. */
export const transportOf = (options: Partial<Transport> & Credential): Transport => ({
  fetch: withCurrentToken(options.fetch ?? fetch, options),
  retries: options.retries ?? 2,
  retryDelayMs: options.retryDelayMs ?? 250,
  timeoutMs: options.timeoutMs ?? 30_000,
  rateLimit: options.rateLimit,
  onRetry: options.onRetry,
  onGiveUp: options.onGiveUp,
})

/** Observers cannot break a request. */
export function notify(hook: RetryHooks['onRetry'], event: RetryEvent): void {
  try {
    hook?.(event)
  } catch {}
}

export type HttpRequest = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
  readonly signal?: AbortSignal | undefined
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined
}

const RETRIED: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])
const DELAY_MAX_MS = 5000
/** A server that asks for a longer delay gets no further attempt; the caller decides. */
export const RETRY_AFTER_MAX_MS = 60_000

const decoder = new TextDecoder()
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes)

/** The body of a successful response. Throws ApiError or NetworkError; only a GET is retried. */
export async function sendRequest(transport: Transport, request: HttpRequest): Promise<Uint8Array> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptOnce(transport, request)
    if (outcome instanceof Uint8Array) return outcome
    const { method, url, signal } = request
    if (method !== 'GET' || signal?.aborted || !isTransient(outcome)) throw outcome
    const delayMs = delayBeforeRetry(transport, attempt, outcome)
    const isLast = attempt >= transport.retries || delayMs > RETRY_AFTER_MAX_MS
    const event = { request: `${method} ${url}`, attempt: attempt + 1, delayMs, error: outcome }
    notify(isLast ? transport.onGiveUp : transport.onRetry, event)
    if (isLast) throw outcome
    await pause(delayMs, signal)
  }
}

async function attemptOnce(
  { fetch, timeoutMs, rateLimit }: Transport,
  { method, url, headers, body, signal, onResponse }: HttpRequest,
): Promise<Uint8Array | ApiError | NetworkError> {
  const waitMs = rateLimit ? takeSlot(rateLimit) : 0
  if (waitMs > 0) await pause(waitMs, signal)
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      body: (body as string | undefined) ?? null,
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (!response.ok) return errorFrom(response.status, response.headers, textOf(bytes))
    onResponse?.({ status: response.status, headers: response.headers })
    return bytes
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    const reason = deadline.aborted ? `no complete response within ${timeoutMs} ms` : reasonOf(cause)
    return new NetworkError(`${method} ${url}: ${reason}`, { cause })
  }
}

/** Whether a retry may succeed. */
export const isTransient = (error: ApiError | NetworkError): boolean =>
  error instanceof NetworkError || RETRIED.has(error.status)

/** The delay before the next attempt. */
export function delayBeforeRetry(
  { retryDelayMs }: Transport,
  attempt: number,
  error: ApiError | NetworkError,
): number {
  const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : undefined
  // Randomized, so that clients that were refused together do not retry together.
  return retryAfterMs ?? Math.min(retryDelayMs * 2 ** attempt * (0.8 + Math.random() * 0.4), DELAY_MAX_MS)
}

export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
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

/** `fetch failed` has no details; its cause does. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const innermost = error.cause instanceof Error ? error.cause : error
  const code = (innermost as { code?: unknown }).code
  return innermost.message || (typeof code === 'string' ? code : innermost.name)
}
