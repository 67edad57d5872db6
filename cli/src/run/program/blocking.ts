import type { StepClock } from './step-clock.ts'

export type Blocker = {
  /** Whether this thread can report while it blocks. */
  readonly canBlock: boolean
  /** The thread blocks until an instant, until a process ends, or until another thread wakes it. */
  block(next: number | null, kind?: 'process'): void
  unblock(): void
}

type Wait = (array: unknown, index: unknown, value: unknown, timeout?: number) => string

/** How long the world is not looked at, in milliseconds. */
const LOOK_MS = 0.1
const LOOKS_BETWEEN_CHECKS = 1000

/** Lets waits that block the thread follow the clock: `Atomics.wait`, and loops that read the time. */
export function useBlocking(
  clock: StepClock,
  blocker: Blocker,
  isInexact: (reason: string, hasPlace: boolean) => void,
): void {
  const atomics = Atomics as unknown as { wait: Wait }
  const { wait } = atomics
  const own = new Int32Array(new SharedArrayBuffer(4))
  /** `look` waits for a moment, and may end the wait. */
  const until = (due: number, look: () => string): string => {
    const { ppid } = process
    blocker.block(due)
    try {
      for (let looks = 1; ; looks += 1) {
        const result = look()
        if (result !== 'timed-out') return result
        clock.forget()
        // At the end of the replay the clock moves by itself. Without the runner it never does.
        if (clock.now() >= due || (looks % LOOKS_BETWEEN_CHECKS === 0 && process.ppid !== ppid)) return result
      }
    } finally {
      blocker.unblock()
    }
  }
  atomics.wait = (array, index, value, timeout = Number.POSITIVE_INFINITY) => {
    const first = wait(array, index, value, 0)
    if (first !== 'timed-out' || !(timeout > 0) || clock.isReleased())
      return first === 'timed-out' && timeout > 0 ? wait(array, index, value, timeout) : first
    if (!blocker.canBlock) {
      isInexact('Atomics.wait waits by the clock of the machine', true)
      return wait(array, index, value, timeout)
    }
    const result = Number.isFinite(timeout)
      ? until(clock.now() + timeout, () => wait(array, index, value, LOOK_MS))
      : untilWoken(() => wait(array, index, value))
    if (result === 'timed-out') return result
    isInexact('a thread waits for another one with Atomics.wait', true)
    return 'ok'
  }
  const untilWoken = (sleep: () => string): string => {
    blocker.block(null)
    try {
      return sleep()
    } finally {
      blocker.unblock()
    }
  }
  clock.onLoop = () => {
    isInexact('a loop reads the clock until it moves', true)
    if (blocker.canBlock) until(clock.now() + 1, () => wait(own, 0, 0, LOOK_MS))
    else clock.reach(clock.now() + 1)
  }
}

/** The line of the program that calls, without Node and this script. */
export function placeOf(): string {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 50
  const lines = new Error().stack!.split('\n').slice(1)
  Error.stackTraceLimit = stackTraceLimit
  const own = /preload\.cjs|\(?node:|<anonymous>\)?$/
  const line = lines.find((text) => !own.test(text))
  return (
    /([^/\\(]+:\d+):\d+\)?$/
      .exec(line ?? '')?.[1]
      ?.trim()
      .replace(/^at /, '') ?? 'a line of Node itself'
  )
}
