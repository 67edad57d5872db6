import { constants } from 'node:os'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Whether a signal asks a command with many runs to end. The runs forward signals to their programs and go on. */
export type Interruption = {
  readonly signal: AbortSignal
  /** As shells report the end by a signal; undefined without one. */
  readonly exit: number | undefined
  close(): void
}

export function awaitInterruption(): Interruption {
  const interrupted = new AbortController()
  let exit: number | undefined
  const handlers = signals.map((signal) => {
    const interrupt = (): void => {
      exit ??= 128 + constants.signals[signal]
      interrupted.abort()
    }
    process.once(signal, interrupt)
    return () => process.off(signal, interrupt)
  })
  return {
    signal: interrupted.signal,
    get exit() {
      return exit
    },
    close() {
      for (const remove of handlers) remove()
    },
  }
}
