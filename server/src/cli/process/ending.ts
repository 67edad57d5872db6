import { fstatSync } from 'node:fs'

const POLL_MS = 500
/** npm passes on a Ctrl-C that the terminal has sent to us already: so soon after the first it is the same one. */
const SAME_MS = 500

/** Resolves with the reason when the process is asked to end. Asked by signal once more, it ends at once. */
export function endAsked(withParent: boolean): Promise<string> {
  return new Promise((resolve) => {
    let askedAt: number | undefined
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => {
        const now = performance.now()
        if (askedAt !== undefined && now - askedAt > SAME_MS) process.exit(1)
        askedAt ??= now
        resolve(signal)
      })
    }
    if (withParent) watchParent(() => resolve('the parent process has ended'))
  })
}

/** The parent is gone when its end of our stdin is closed, its channel is, or another process is our parent. */
function watchParent(gone: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid !== parent) gone()
  }, POLL_MS)
  timer.unref()
  process.once('disconnect', gone)
  const stdin = fstatSync(0)
  // A file or /dev/null is at its end from the start, which says nothing about the parent.
  if (!stdin.isFIFO() && !stdin.isSocket()) return
  process.stdin.on('end', gone).on('close', gone).on('error', gone).resume()
  // Waiting for the parent must not keep us when all else is done.
  ;(process.stdin as unknown as { unref?: () => void }).unref?.()
}
