import { fstatSync } from 'node:fs'

const POLL_MS = 500
/** By signal, as a shell tells it. */
const IMPATIENT = 130

/** Resolves with the reason when the process is asked to end. Asked by signal a second time, it ends at once. */
export function endAsked(withParent: boolean): Promise<string> {
  return new Promise((resolve) => {
    let asked = false
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(IMPATIENT)
        asked = true
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
