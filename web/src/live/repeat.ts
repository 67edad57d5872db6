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
