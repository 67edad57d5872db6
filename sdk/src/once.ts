import type { CallOptions } from './contract.ts'
import { ApiError, NetworkError, UnknownOutcomeError } from './errors.ts'
import { randomId } from './random-id.ts'
import { delayMs, pause, type Transport, transportOf } from './send.ts'

export type OnceOptions = CallOptions & {
  /** The idempotency key. Default: a random one. Use the key of an `UnknownOutcomeError` to learn the outcome. */
  readonly idempotencyKey?: string
  /** Number of times that the call is sent again after a lost response. Default: 2. */
  readonly repetitions?: number
}

const REPETITIONS = 2

/**
 * Sends a call that moves money, shares, coins or tokens, at most once: after a lost response or a failure of the server
 * it sends the same call with the same idempotency key again, and the server returns the first response.
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
  for (let attempts = 1; ; attempts++)
    try {
      const output = await send({ 'idempotency-key': idempotencyKey })
      return { output, attempts, isFound: false }
    } catch (error) {
      if (!isUnknown(error)) throw error
      const found = await lookUp()
      if (found !== undefined) return { output: found, attempts, isFound: true }
      if (attempts > repetitions) throw unknownOutcome(idempotencyKey, attempts, error)
      await pause(delayMs(transport, attempts - 1, error), signal)
    }
}

/** No response, or a failure of the server or of a proxy: the call may have been executed. */
export const isUnknown = (error: unknown): error is NetworkError | ApiError =>
  error instanceof NetworkError ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 408))

const unknownOutcome = (idempotencyKey: string, attempts: number, cause: Error): UnknownOutcomeError =>
  new UnknownOutcomeError(
    `the outcome of the call with the idempotency key ${idempotencyKey} is unknown after ${attempts} attempts: ${cause.message}`,
    { idempotencyKey, cause },
  )
