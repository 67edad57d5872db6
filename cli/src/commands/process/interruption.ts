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

/** Keeps signals from ending a command that must undo something. The program that it runs gets them meanwhile. */
export type SignalGuard = {
  /** As shells report the end by a signal; undefined without one. */
  readonly exit: number | undefined
  /** Returns a function that ends it. */
  suspend(): () => void
  close(): void
}

/** A second signal ends the command at once. */
export function guardSignals(): SignalGuard {
  let exit: number | undefined
  let isSuspended = false
  const handlers = signals.map((signal) => {
    const take = (): void => {
      if (isSuspended) return
      if (exit === undefined) {
        exit = 128 + constants.signals[signal]
        return
      }
      close()
      process.kill(process.pid, signal)
    }
    process.on(signal, take)
    return () => process.off(signal, take)
  })
  const close = (): void => {
    for (const remove of handlers) remove()
  }
  return {
    get exit() {
      return exit
    },
    suspend() {
      isSuspended = true
      return () => {
        isSuspended = false
      }
    },
    close,
  }
}
