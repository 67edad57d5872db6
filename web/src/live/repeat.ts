import { ApiError } from '@quipu/sdk'

/** A stream that ended is opened again after this time. */
export const REOPEN_MS = 1000

/**
 * Follows a stream again and again until the signal ends it. A stream ends when its token is refused, as after a restart of
 * the server.
 */
export async function repeat(signal: AbortSignal, run: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await run().catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, REOPEN_MS))
  }
}

/** Reads again until there is a response. Throws if the server refuses the request, or the signal ends it. */
export async function untilRead<Value>(read: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
  for (;;)
    try {
      return await read()
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status < 500 && error.status !== 429
      if (isRefused || signal?.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, REOPEN_MS))
    }
}
