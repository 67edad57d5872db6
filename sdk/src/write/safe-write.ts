import type { CallOptions } from '../contract.ts'
import { ApiError, type KeyKind, NetworkError, UnknownOutcomeError } from '../errors.ts'
import { delayBeforeRetry, isTransient, notify, pause, RETRY_AFTER_MAX_MS, type Transport } from '../send.ts'

export type WriteOptions = CallOptions & {
  /**
   * The idempotency key of an operation that takes one. Default: a new UUID. Use the key of an `UnknownOutcomeError` to
   * learn the outcome. Orders have `client_order_id` instead.
   */
  readonly idempotencyKey?: string | undefined
  /** Number of times that the call is sent again after a lost response. Default: 2. */
  readonly repetitions?: number | undefined
  /** Milliseconds to look for an order whose response was lost, before it is sent again. Default: 5000. */
  readonly lookUpMs?: number | undefined
}

/**
 * What happened to a write:
 * confirmed: the server confirmed the first attempt; found: a response was lost, and a look-up found the result;
 * repeated: a response was lost, and the server confirmed a later attempt.
 */
export type WriteReport = {
  readonly outcome: 'confirmed' | 'found' | 'repeated'
  /** The id by which the server executes the write once: an idempotency key, a client order id, or the id of the order. */
  readonly key: string
  /** Number of times that the call was sent. */
  readonly attempts: number
  /** Number of times that the result was looked up. */
  readonly lookUps: number
}

export type Written<Output> = { readonly output: Output; readonly report: WriteReport }

export type Found<Output> = { readonly output: Output }

/** A call, and how to learn its result after a lost response. */
export type SafeWrite<Output> = {
  readonly key: string
  readonly keyKind: KeyKind
  readonly send: () => Promise<Output>
  /** The result of an earlier attempt; undefined if there is none. Without it, the call is repeated at once. */
  readonly lookUp?: (() => Promise<Found<Output> | undefined>) | undefined
  /** Milliseconds to look up. 0: once. */
  readonly lookUpMs: number
  /** Whether an error of the first attempt shows that a request of this write was executed before. */
  readonly isOwnRepetition?: ((error: unknown) => Promise<boolean>) | undefined
}

const REPETITIONS = 2

/**
 * Executes a write at most once: sends it, looks its result up after a lost response, sends it again with the same key,
 * and reports what happened. Once one outcome is unknown, every error but a refusal by the server is an
 * `UnknownOutcomeError` with the key.
 */
export async function safeWrite<Output>(
  write: SafeWrite<Output>,
  { signal, repetitions = REPETITIONS }: WriteOptions,
  transport: Transport,
): Promise<Written<Output>> {
  const { key } = write
  let lookUps = 0
  let isUnknown = false
  signal?.throwIfAborted()
  for (let attempts = 1; ; attempts++) {
    const written = (output: Output, outcome: WriteReport['outcome']): Written<Output> => ({
      output,
      report: { outcome, key, attempts, lookUps },
    })
    const unknown = (cause: unknown): UnknownOutcomeError => unknownOutcome(write, attempts, cause)
    let problem: unknown
    try {
      return written(await write.send(), attempts === 1 ? 'confirmed' : 'repeated')
    } catch (error) {
      problem = error
    }
    const isTaken = isIdTaken(problem)
    isUnknown ||=
      mayBeExecuted(problem, signal) || (isTaken && (await write.isOwnRepetition?.(problem)) === true)
    if (!isUnknown) throw problem
    const isRefused = isDecision(problem) && !isTaken
    if (!isRefused && !isTaken && !isRepeatable(problem)) throw unknown(problem)
    const delay = delayBeforeRetry(transport, attempts - 1, problem as ApiError | NetworkError)
    const nextMs = Date.now() + delay
    const found = await lookUp(write, { isRefused, signal, transport, unknown, count: () => ++lookUps })
    if (found !== undefined) return written(found.output, 'found')
    if (isRefused) throw problem
    const isLast = attempts > repetitions || delay > RETRY_AFTER_MAX_MS
    const delayMs = Math.max(0, nextMs - Date.now())
    const event = { request: nameOf(write), attempt: attempts, delayMs, error: problem }
    notify(isLast ? transport.onGiveUp : transport.onRetry, event)
    if (isLast) throw unknown(problem)
    await pause(delayMs, signal).catch((reason) => Promise.reject(unknown(reason)))
  }
}

type LookUpParts = {
  /** The server refused a repetition: one answer is enough. */
  readonly isRefused: boolean
  readonly signal: AbortSignal | undefined
  readonly transport: Transport
  readonly unknown: (cause: unknown) => UnknownOutcomeError
  readonly count: () => void
}

/** The result of an earlier attempt, or undefined if there is none at the deadline. */
async function lookUp<Output>(
  { lookUp, lookUpMs }: SafeWrite<Output>,
  { isRefused, signal, transport, unknown, count }: LookUpParts,
): Promise<Found<Output> | undefined> {
  if (lookUp === undefined) return undefined
  const deadline = Date.now() + lookUpMs
  for (let turn = 0; ; turn++) {
    let problem: ApiError | NetworkError | undefined
    try {
      count()
      const found = await lookUp()
      if (found !== undefined || isRefused) return found
    } catch (error) {
      if (!isKnownError(error) || !isTransient(error)) throw unknown(error)
      problem = error
    }
    const delay = delayBeforeRetry(transport, turn, problem ?? new NetworkError(''))
    if (Date.now() + delay >= deadline) {
      if (isRefused) throw unknown(problem)
      return undefined
    }
    await pause(delay, signal).catch((reason) => Promise.reject(unknown(reason)))
  }
}

const isKnownError = (error: unknown): error is ApiError | NetworkError =>
  error instanceof ApiError || error instanceof NetworkError

/**
 * Whether a call with this error may have been executed: there is no response or an unreadable one, the server or a proxy
 * failed, or the program aborted the call after it was sent.
 */
function mayBeExecuted(error: unknown, signal: AbortSignal | undefined): boolean {
  if (error instanceof ApiError) return error.status < 400 || error.status >= 500 || error.status === 408
  return error instanceof NetworkError || signal?.aborted === true || isAbort(error)
}

const isAbort = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')

/**
 * Whether the server looked for an earlier execution and then refused the call, so that it was not executed. The server
 * refuses credentials, rates and hosts before it looks; a proxy does not know, and its errors have no code.
 */
const isDecision = (error: unknown): boolean =>
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
const isRepeatable = (error: unknown): boolean =>
  isKnownError(error) &&
  (isTransient(error) || (error instanceof ApiError && (error.status < 400 || error.status >= 500)))

/** Whether another order has the client order id. */
const isIdTaken = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.reason === 'clientOrderIdTaken' || /client_order_id must be unique/.test(error.message))

const subjects = {
  clientOrderId: 'order',
  idempotencyKey: 'the call with the idempotency key',
  orderId: 'the cancel of order',
} as const

const nameOf = ({ key, keyKind }: SafeWrite<unknown>): string => `${subjects[keyKind]} ${key}`

function unknownOutcome(write: SafeWrite<unknown>, attempts: number, cause: unknown): UnknownOutcomeError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `the outcome of ${nameOf(write)} is unknown after ${attempts} attempts: ${reason}`
  return new UnknownOutcomeError(message, { ...write, cause })
}
