export type ApiErrorParts = {
  readonly status: number
  /** The wire's integer. */
  readonly code?: number | undefined
  /** Our own word for it, where the server says one. */
  readonly reason?: string | undefined
  readonly message: string
  readonly requestId?: string | undefined
  /** How long to wait before asking again, where the server says so. */
  readonly retryAfterMs?: number | undefined
  /** Everything the server said, numbers included. */
  readonly body?: unknown
}

/** The server answered, and the answer is no. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError'
  readonly status: number
  readonly code: number | undefined
  readonly reason: string | undefined
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined
  readonly body: unknown

  constructor(parts: ApiErrorParts) {
    super(parts.message)
    this.status = parts.status
    this.code = parts.code
    this.reason = parts.reason
    this.requestId = parts.requestId
    this.retryAfterMs = parts.retryAfterMs
    this.body = parts.body
  }
}

/** 401: no credentials, wrong ones, or ones without the scope. */
export class AuthError extends ApiError {
  override readonly name = 'AuthError'
}

/** 403: the credentials are right and the answer is still no, e.g. for want of buying power. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError'
}

/** 404 */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/** 400 and 422: something about the request is wrong; the message names the field. */
export class ValidationError extends ApiError {
  override readonly name = 'ValidationError'
}

/** 429 */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
}

/**
 * No answer, or half of one. For anything but a GET nobody knows then whether it was applied: look it up
 * (an order by its client id) before sending it again.
 */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
}

const classOf: Readonly<Record<number, new (parts: ApiErrorParts) => ApiError>> = {
  400: ValidationError,
  401: AuthError,
  403: PermissionError,
  404: NotFoundError,
  422: ValidationError,
  429: RateLimitError,
}

/** The error for an answer, whatever its body looks like. */
export function errorFrom(status: number, headers: Headers, text: string): ApiError {
  const body = parsed(text)
  const said = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  return new (classOf[status] ?? ApiError)({
    status,
    code: typeof said['code'] === 'number' ? said['code'] : undefined,
    // The token endpoint speaks RFC 6749: `error` is its word, `error_description` its sentence.
    reason: word(said['reason']) ?? word(said['error']),
    message: word(said['message']) ?? word(said['error_description']) ?? `the server answered ${status}`,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterMs(headers),
    body,
  })
}

/** `Retry-After` in seconds or as a date, else the reset of the rate limit. */
export function retryAfterMs(headers: Headers, now = Date.now()): number | undefined {
  const after = headers.get('retry-after')
  const reset = headers.get('x-ratelimit-reset')
  const at = after === null ? Number(reset) * 1000 : Date.parse(after)
  if (after !== null && /^\d+(\.\d+)?$/.test(after)) return Number(after) * 1000
  if ((after === null && reset === null) || Number.isNaN(at)) return undefined
  return Math.max(0, at - now)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const word = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
