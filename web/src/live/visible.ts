/** Tabs come and go within seconds; a stream is not worth closing for that. */
const CLOSED_AFTER_MS = 5000

/**
 * Runs a stream while the page is visible, again and again, until the signal ends it. A browser allows six connections to
 * a server, so hidden tabs must not hold any.
 */
export async function whileVisible(
  signal: AbortSignal,
  pauseMs: number,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await visible(signal)
    const closing = new AbortController()
    const end = onHidden(() => closing.abort())
    await run(AbortSignal.any([signal, closing.signal])).catch(() => undefined)
    end()
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** Resolves when the page is visible, or the signal ends. */
function visible(signal: AbortSignal): Promise<void> {
  if (!document.hidden || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const check = () => {
      if (document.hidden && !signal.aborted) return
      document.removeEventListener('visibilitychange', check)
      resolve()
    }
    document.addEventListener('visibilitychange', check)
    signal.addEventListener('abort', check, { once: true })
  })
}

/** Calls back when the page has been hidden for a while. Returns a function that ends it. */
function onHidden(callback: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const check = () => {
    clearTimeout(timer)
    if (document.hidden) timer = setTimeout(callback, CLOSED_AFTER_MS)
  }
  document.addEventListener('visibilitychange', check)
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', check)
  }
}
