import { fstatSync } from 'node:fs'

const POLL_MS = 500
/** npm forwards a Ctrl-C that the terminal has already sent: a second signal this soon is the same one. */
const SAME_MS = 500

/** Resolves with the reason when the process should stop. A second signal stops it at once. */
export function shutdownRequested(withParent: boolean): Promise<string> {
  return new Promise((resolve) => {
    let requestedAt: number | undefined
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => {
        const now = performance.now()
        if (requestedAt !== undefined && now - requestedAt > SAME_MS) process.exit(1)
        requestedAt ??= now
        resolve(signal)
      })
    }
    if (withParent) watchParent(() => resolve('the parent process has ended'))
  })
}

/** The parent has ended when stdin or the IPC channel closes, or when the parent process id changes. */
function watchParent(onEnd: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid !== parent) onEnd()
  }, POLL_MS)
  timer.unref()
  process.once('disconnect', onEnd)
  const stdin = fstatSync(0)
  // A file or /dev/null is at its end from the start, which does not mean that the parent has ended.
  if (!stdin.isFIFO() && !stdin.isSocket()) return
  process.stdin.on('end', onEnd).on('close', onEnd).on('error', onEnd).resume()
  // Watching the parent must not keep the process alive.
  ;(process.stdin as unknown as { unref?: () => void }).unref?.()
}
