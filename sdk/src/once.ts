import type { CallOptions } from './contract.ts'
import { ApiError, NetworkError, UnknownOutcomeError } from './errors.ts'
import { randomId } from './random-id.ts'
import {
  delayBeforeRetry,
  isTransient,
  pause,
  RETRY_AFTER_MAX_MS,
  type Transport,
  transportOf,
} from './send.ts'

export type OnceOptions = CallOptions & {
  /** The idempotency key. Default: a random one. Use the key of an `UnknownOutcomeError` to learn the outcome. */
  readonly idempotencyKey?: string
  /** Number of times that the call is sent again after a lost response. Default: 2. */
  readonly repetitions?: number
}

const REPETITIONS = 2

/**
 * Sends a call that moves money, shares, coins or tokens, at most once: after a lost response or a failure of the server
 * it sends the same call with the same idempotency key again, and the server returns the first response. Once one outcome
 * is unknown, every error but a refusal by the server is an `UnknownOutcomeError` with the key.
 *
 *   await sendOnce((headers) => partner.createTransfer({ params, headers, body }))
 */
export function sendOnce<Output>(
  send: (headers: { readonly 'idempotency-key': string }) => Promise<Output>,
  options: OnceOptions = {},
): Promise<Output> {
  return repeatCall(send, options, transportOf({})).then(({ output }) => output)
}

/** The output, and how many times the call was sent. `lookUp` may find the output after a lost response. */
export async function repeatCall<Output>(
  send: (headers: { readonly 'idempotency-key': string }) => Promise<Output>,
  { idempotencyKey = randomId(), repetitions = REPETITIONS, signal }: OnceOptions,
  transport: Transport,
  lookUp: () => Promise<Output | undefined> = async () => undefined,
): Promise<{ readonly output: Output; readonly attempts: number; readonly isFound: boolean }> {
  signal?.throwIfAborted()
  let isUnknown = false
  for (let attempts = 1; ; attempts++) {
    const unknown = (cause: unknown): UnknownOutcomeError => unknownOutcome(idempotencyKey, attempts, cause)
    try {
      const output = await send({ 'idempotency-key': idempotencyKey })
      return { output, attempts, isFound: false }
    } catch (error) {
      isUnknown ||= mayBeExecuted(error, signal)
      if (!isUnknown || isDecision(error)) throw error
      if (!isRepeatable(error)) throw unknown(error)
      // The repetition reports the problem of a look-up that failed.
      const found = await lookUp().catch(() => undefined)
      if (found !== undefined) return { output: found, attempts, isFound: true }
      const delay = delayBeforeRetry(transport, attempts - 1, error)
      if (attempts > repetitions || delay > RETRY_AFTER_MAX_MS) throw unknown(error)
      await pause(delay, signal).catch((reason) => Promise.reject(unknown(reason)))
    }
  }
}

/**
 * Whether a call with this error may have been executed: there is no response or an unreadable one, the server or a proxy
 * failed, or the program aborted the call after it was sent.
 */
export function mayBeExecuted(error: unknown, signal: AbortSignal | undefined): boolean {
  if (error instanceof ApiError) return error.status < 400 || error.status >= 500 || error.status === 408
  return error instanceof NetworkError || signal?.aborted === true || isAbort(error)
}

const isAbort = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')

/**
 * Whether the server looked for an earlier execution and then refused the call, so that it was not executed. The server
 * refuses credentials, rates and hosts before it looks; a proxy does not know, and its errors have no code.
 */
export const isDecision = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.status >= 400 &&
  error.status < 500 &&
  !UNDECIDED.has(error.status) &&
  !ACCESS_REASONS.has(error.reason) &&
  (error.code !== undefined || error.reason !== undefined)

const UNDECIDED: ReadonlySet<number> = new Set([401, 408, 425, 429])
const ACCESS_REASONS: ReadonlySet<string | undefined> = new Set([
  'forbidden',
  'hostNotAllowed',
  'crossSite',
  'issuerCallbacksOnly',
  'auditorReadsOnly',
  'readOnlyToken',
])

/** Whether the same call may get another response later. */
export const isRepeatable = (error: unknown): error is ApiError | NetworkError =>
  error instanceof NetworkError ||
  (error instanceof ApiError && (isTransient(error) || error.status < 400 || error.status >= 500))

const unknownOutcome = (idempotencyKey: string, attempts: number, cause: unknown): UnknownOutcomeError =>
  new UnknownOutcomeError(
    `the outcome of the call with the idempotency key ${idempotencyKey} is unknown after ${attempts} attempts: ${onceMessage(cause)}`,
    { idempotencyKey, cause },
  )

export const onceMessage = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)
