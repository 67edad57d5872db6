/** Tabs come and go within seconds; a stream is not worth closing for that. */
const CLOSED_AFTER_MS = 5000

/**
 * Requests event streams only while the page is visible, and breaks them when it is hidden. The SDK then resumes after the
 * last message. A browser allows six connections to a server, so hidden tabs must not hold any.
 */
export const whileVisible =
  (request: typeof fetch): typeof fetch =>
  async (url, options) => {
    const ended = options?.signal ?? new AbortController().signal
    await visible(ended)
    return request(url, { ...options, signal: untilHidden(ended) })
  }

/** Resolves when the page is visible, or the signal ends. */
export function visible(signal: AbortSignal): Promise<void> {
  if (!document.hidden || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const check = () => {
      if (document.hidden && !signal.aborted) return
      document.removeEventListener('visibilitychange', check)
      signal.removeEventListener('abort', check)
      resolve()
    }
    document.addEventListener('visibilitychange', check)
    signal.addEventListener('abort', check)
  })
}

/** A signal that also ends when the page has been hidden for a while. */
export function untilHidden(signal: AbortSignal): AbortSignal {
  const closing = new AbortController()
  const both = AbortSignal.any([signal, closing.signal])
  let timer: ReturnType<typeof setTimeout> | undefined
  const check = () => {
    clearTimeout(timer)
    if (document.hidden) timer = setTimeout(() => closing.abort(), CLOSED_AFTER_MS)
  }
  document.addEventListener('visibilitychange', check, { signal: both })
  both.addEventListener('abort', () => clearTimeout(timer), { once: true })
  return both
}
