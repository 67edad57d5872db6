import timersModule from 'node:timers'
import type { Gate } from './gate.ts'
import {
  type Callback,
  handleOf,
  newTimer,
  type ProgramClock,
  type ProgramTimer,
  type RealTimer,
  type RealTimers,
  type Schedule,
} from './timers.ts'

/** The timers of Node, as they were before the program began. */
export type NodeTimers = RealTimers & {
  setImmediate: (callback: Callback) => RealTimer
  clearImmediate: (timer: unknown) => void
}
export type Steps = Schedule & {
  next(): number | null
  /** Fires the timers that are due, one per turn of the event loop. */
  fire(done: () => void): void
  /** From now on timers run in real time. */
  release(): void
}
export type StepTimersSetup = {
  readonly clock: ProgramClock
  readonly gate: Pick<Gate, 'watchWrites'>
  /** Intervals that are shorter, and that only ping a connection, run in real time. */
  readonly stepMs: number
  readonly isInexact: (reason: string) => void
}
type StepTimers = {
  readonly pending: Map<number, ProgramTimer>
  arm(timer: ProgramTimer): void
  run(timer: ProgramTimer): void
  clear(handle: unknown): boolean
  release(): void
}

export const nodeTimers = (): NodeTimers => ({ ...(timersModule as unknown as NodeTimers) })

/** The timers that wait for the clock. */
function stepTimers(real: NodeTimers, clock: ProgramClock): StepTimers {
  const LONGEST = 2 ** 31 - 1
  const pending = new Map<number, ProgramTimer>()
  let isReleased = false
  const disarm = (timer: ProgramTimer): void => {
    real.clearTimeout(timer.real)
    real.clearImmediate(timer.real)
  }
  const run = (timer: ProgramTimer): void => {
    if (pending.get(timer.id) !== timer) return
    timer.due += timer.delay
    if (timer.repeats) arm(timer)
    else clear(timer.id)
    timer.call()
  }
  // The real timer keeps the program running. It runs the callback only without a delay, or after the replay.
  const arm = (timer: ProgramTimer): void => {
    disarm(timer)
    const wait = Math.min(Math.max(timer.due - clock.now(), 1), LONGEST)
    if (timer.delay === 0) timer.real = real.setImmediate(() => run(timer))
    else if (isReleased) timer.real = real.setTimeout(() => run(timer), wait)
    else timer.real = real.setTimeout(() => arm(timer), LONGEST)
    if (!timer.isRef) timer.real.unref()
  }
  const clear = (handle: unknown): boolean => {
    const timer = pending.get(Number(handle))
    if (timer) disarm(timer)
    return timer !== undefined && pending.delete(timer.id)
  }
  const release = (): void => {
    isReleased = true
    for (const timer of pending.values()) arm(timer)
  }
  return { pending, arm, run, clear, release }
}

export function stepSchedule(real: NodeTimers, setup: StepTimersSetup): Steps {
  const { clock } = setup
  const timers = stepTimers(real, clock)
  const { pending, arm, run, release } = timers
  const pings = pingsInRealTime(real, setup)
  const clear = (handle: unknown): boolean => pings.clear(Number(handle)) || timers.clear(handle)
  let lastId = 0
  const first = (): ProgramTimer | undefined => {
    let first: ProgramTimer | undefined
    for (const timer of pending.values()) if (!first || timer.due < first.due) first = timer
    return first
  }
  const runPings = (timer: ProgramTimer): void => {
    if (!timer.repeats || timer.delay >= setup.stepMs) return run(timer)
    const isPing = setup.gate.watchWrites(() => run(timer))
    if (isPing && pending.get(timer.id) === timer) {
      timers.clear(timer.id)
      pings.start(timer)
    }
  }
  const fire = (done: () => void): void => {
    const timer = first()
    if (!timer || timer.due > clock.now()) return done()
    try {
      runPings(timer)
    } finally {
      real.setImmediate(() => fire(done))
    }
  }
  return {
    set(callback, delay, repeats, args) {
      lastId += 1
      const timer = newTimer(lastId, callback, delay, repeats, args, false)
      const start = (): void => {
        timer.due = clock.now() + timer.delay
        pending.set(timer.id, timer)
        arm(timer)
      }
      start()
      return handleOf(timer, start, clear)
    },
    clear,
    next: () => first()?.due ?? null,
    fire,
    release,
  }
}

/**
 * Intervals that do nothing but ping a connection. On the clock of the world they would stop it every few seconds, and a
 * ping in real time changes nothing that the program can see.
 */
function pingsInRealTime(real: NodeTimers, { gate, isInexact }: StepTimersSetup) {
  const setInterval = real.setInterval as (call: Callback, delay: number) => RealTimer
  const running = new Map<number, RealTimer>()
  return {
    start(timer: ProgramTimer): void {
      const ping = (): void => {
        if (gate.watchWrites(timer.call) === false)
          isInexact('an interval that pinged a connection did something else, in real time')
      }
      timer.real = setInterval(ping, timer.delay)
      if (!timer.isRef) timer.real.unref()
      running.set(timer.id, timer.real)
    },
    clear(id: number): boolean {
      const timer = running.get(id)
      if (timer) (real.clearInterval as (timer: unknown) => void)(timer)
      return running.delete(id)
    },
  }
}

/** `AbortSignal.timeout` by the clock of the world. */
export function useAbortTimeout(schedule: Schedule): void {
  const signals = AbortSignal as unknown as { timeout: (ms: number) => AbortSignal }
  const { timeout } = signals
  signals.timeout = (ms) => {
    // Refuses what is no time.
    timeout.call(AbortSignal, ms)
    const controller = new AbortController()
    const abort = (): void =>
      controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
    ;(schedule.set(abort, ms, false, []) as RealTimer).unref()
    return controller.signal
  }
}
