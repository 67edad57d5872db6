import type { Order } from './records/records.ts'

export type ApiErrorParts = {
  readonly status: number
  /** The numeric code of the Alpaca protocol. */
  readonly code?: number | undefined
  /** Quipu's reason code, if the server sends one. */
  readonly reason?: string | undefined
  readonly message: string
  readonly requestId?: string | undefined
  /** Milliseconds to wait before the next attempt, if the server sends them. */
  readonly retryAfterMs?: number | undefined
  /** The whole response body. */
  readonly body?: unknown
}

/** The server refused the request. */
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

/** 401: missing or wrong credentials, or a missing scope. */
export class AuthError extends ApiError {
  override readonly name = 'AuthError'
}

/** 403: the credentials are right, but the request is refused, e.g. for lack of buying power. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError'
}

/** 404 */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/** 400 and 422: the request is invalid; the message names the field. */
export class ValidationError extends ApiError {
  override readonly name = 'ValidationError'
}

/** Milliseconds to wait if the server does not send them. */
const RETRY_AFTER_MS = 1000

/** 429 */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
  /** Milliseconds to wait before the next attempt. */
  declare readonly retryAfterMs: number

  constructor(parts: ApiErrorParts) {
    super({ ...parts, retryAfterMs: parts.retryAfterMs ?? RETRY_AFTER_MS })
  }
}

/**
 * No response, or an incomplete one. Unless it was a GET, the outcome is unknown: look it up (an order by its client
 * order id), or send it again with the same idempotency key.
 */
export class NetworkError extends Error {
  override readonly name: string = 'NetworkError'
}

/** What the key of a safe write is. */
export type KeyKind = 'clientOrderId' | 'idempotencyKey' | 'orderId'
type UnknownWrite = { readonly keyKind: KeyKind; readonly key: string; readonly cause?: unknown }

/**
 * An order, a mint or another call may or may not be executed: its response was lost or the program aborted it, and the
 * server could not be asked. `cause` is the last error.
 */
export class UnknownOutcomeError extends NetworkError {
  override readonly name = 'UnknownOutcomeError'
  /** Look up the order by this id before you place another one. */
  readonly clientOrderId: string | undefined
  /** Send the same call with this key again: it is executed at most once. */
  readonly idempotencyKey: string | undefined
  /** The order whose cancel is unknown. */
  readonly orderId: string | undefined

  constructor(message: string, { keyKind, key, cause }: UnknownWrite) {
    super(message, { cause })
    const keyOf = (kind: KeyKind): string | undefined => (kind === keyKind ? key : undefined)
    this.clientOrderId = keyOf('clientOrderId')
    this.idempotencyKey = keyOf('idempotencyKey')
    this.orderId = keyOf('orderId')
  }
}

/** A stream was refused, or a subscription of it. */
export class StreamError extends Error {
  override readonly name = 'StreamError'
  /** The code of the protocol, for market data. */
  readonly code: number | undefined

  constructor(message: string, code?: number) {
    super(message)
    this.code = code
  }
}

/** An order did not reach the awaited state in time. It may still do so. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError'
  /** The order as it was read last. */
  readonly order: Order

  constructor(message: string, { order }: { order: Order }) {
    super(message)
    this.order = order
  }
}

const classOf: Readonly<Record<number, new (parts: ApiErrorParts) => ApiError>> = {
  400: ValidationError,
  401: AuthError,
  403: PermissionError,
  404: NotFoundError,
  422: ValidationError,
  429: RateLimitError,
}

/** The error for a response with any body. */
export function errorFrom(status: number, headers: Headers, text: string): ApiError {
  const body = parsed(text)
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  return new (classOf[status] ?? ApiError)({
    status,
    code: typeof fields['code'] === 'number' ? fields['code'] : undefined,
    // The token endpoint follows RFC 6749: `error` is a code, `error_description` a sentence.
    reason: textOf(fields['reason']) ?? textOf(fields['error']),
    message:
      textOf(fields['message']) ?? textOf(fields['error_description']) ?? `the server returned ${status}`,
    requestId: headers.get('x-request-id') ?? undefined,
    // Every response has the reset time of the rate limit; it matters only for a request that was over the limit.
    retryAfterMs: status === 429 || headers.has('retry-after') ? retryAfterMs(headers) : undefined,
    body,
  })
}

/** `Retry-After` in seconds or as a date, else the reset time of the rate limit. */
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

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
