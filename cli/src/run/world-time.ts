/** The state of the world's clock, as the runner writes it into a file. Times are in milliseconds since 1970. */
export type ClockState = {
  readonly now: number
  /** 0: frozen. */
  readonly speed: number
  /** The real time at which the world had the time `now`. */
  readonly at: number
}

export type Load = (name: string) => unknown
export type ProgramClock = { now(): number }
type Clock = ProgramClock & { speed(): number; read(): boolean }
export type Callback = (...args: unknown[]) => void
export type RealTimer = { ref(): void; unref(): void }
export type RealTimers = {
  setTimeout: (callback: Callback, delay: number) => RealTimer
  setInterval: unknown
  clearTimeout: (timer: unknown) => void
  clearInterval: (timer: unknown) => void
}
export type Timer = {
  readonly id: number
  readonly delay: number
  readonly repeats: boolean
  readonly call: () => void
  due: number
  isRef: boolean
  real?: RealTimer
}
export type Schedule = {
  set(callback: unknown, delay: unknown, repeats: boolean, args: readonly unknown[]): object
  clear(handle: unknown): boolean
}
type WaitOptions = { readonly signal?: AbortSignal; readonly ref?: boolean }

/**
 * The text that gives a program the `Date` and the timers of the world. The functions below run inside the program: they
 * are written into a file, so they use nothing but each other.
 */
export const worldTimeText = (file: string): string =>
  [
    ...timeFunctions.map(String),
    ...[worldClock, timerSchedule, useWorldTime].map(String),
    `${useWorldTime.name}(require, ${JSON.stringify(file)})`,
    '',
  ].join('\n')

/** The functions that lock-step needs too. */
export const timeFunctions = [useDate, handleOf, newTimer, abortError, waiting, useTimers] as const

function useWorldTime(load: Load, file: string): void {
  const timers = load('node:timers') as RealTimers
  const clock = worldClock(load, file, Date.now)
  clock.read()
  useDate(clock)
  const schedule = timerSchedule({ ...timers }, clock)
  const setInterval = timers.setInterval as (callback: Callback, delay: number) => RealTimer
  const poll = (): void => {
    if (clock.read()) schedule.resume()
  }
  setInterval(poll, 20).unref()
  useTimers(load, schedule)
}

function worldClock(load: Load, file: string, realNow: () => number): Clock {
  const { readFileSync } = load('node:fs') as { readFileSync: (path: string, encoding: string) => string }
  let text = ''
  let state = { now: realNow(), speed: 1, at: realNow() }
  let latest = Number.NEGATIVE_INFINITY
  return {
    /** Returns whether the clock changed. */
    read() {
      try {
        const next = readFileSync(file, 'utf8')
        if (next === text) return false
        text = next
        state = JSON.parse(next)
        return true
      } catch {
        // The run has ended, and its files are removed: the clock goes on as before.
        return false
      }
    },
    speed: () => state.speed,
    now() {
      // A clock that slowed down must not go back.
      latest = Math.max(latest, state.now + (realNow() - state.at) * state.speed)
      return latest
    },
  }
}

export function useDate(clock: ProgramClock): void {
  const RealDate = Date
  const now = (): number => Math.floor(clock.now())
  const WorldDate: DateConstructor = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(
        target,
        args.length === 0 ? [now()] : args,
        newTarget === WorldDate ? target : newTarget,
      ),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
  RealDate.prototype.constructor = WorldDate
  globalThis.Date = WorldDate
}

/** Timers by the clock of the world: a frozen clock holds them, and keeps the program running like any other timer. */
function timerSchedule(real: RealTimers, clock: Clock): Schedule & { resume(): void } {
  const LONGEST = 2 ** 31 - 1
  const pending = new Map<number, Timer>()
  let lastId = 0
  const arm = (timer: Timer): void => {
    real.clearTimeout(timer.real)
    const wait = timer.due - clock.now()
    const realWait = wait <= 0 ? 0 : clock.speed() > 0 ? wait / clock.speed() : LONGEST
    timer.real = real.setTimeout(() => check(timer), Math.min(realWait, LONGEST))
    if (!timer.isRef) timer.real.unref()
  }
  const check = (timer: Timer): void => {
    if (pending.get(timer.id) !== timer) return
    if (clock.now() < timer.due) return arm(timer)
    if (timer.repeats) {
      timer.due = clock.now() + timer.delay
      arm(timer)
    } else pending.delete(timer.id)
    timer.call()
  }
  const clear = (handle: unknown): boolean => {
    const timer = pending.get(Number(handle))
    if (timer) real.clearTimeout(timer.real)
    return timer !== undefined && pending.delete(timer.id)
  }
  return {
    set(callback, delay, repeats, args) {
      lastId += 1
      const timer = newTimer(lastId, callback, delay, repeats, args)
      const start = (): void => {
        timer.due = clock.now() + timer.delay
        pending.set(timer.id, timer)
        arm(timer)
      }
      start()
      return handleOf(timer, start, clear)
    },
    clear,
    resume() {
      for (const timer of [...pending.values()].sort((a, b) => a.due - b.due || a.id - b.id)) arm(timer)
    },
  }
}

export function newTimer(
  id: number,
  callback: unknown,
  delay: unknown,
  repeats: boolean,
  args: readonly unknown[],
): Timer {
  if (typeof callback !== 'function') throw new TypeError('The "callback" argument must be of type function.')
  const asked = Number(delay)
  const shortest = repeats ? 1 : 0
  // As in Node, a delay out of range is the shortest. A frozen clock does not hold it.
  const held = asked > 1 && asked < 2 ** 31 ? asked : shortest
  return { id, delay: held, repeats, call: () => callback(...args), due: 0, isRef: true }
}

/** The object that setTimeout returns. */
export function handleOf(timer: Timer, refresh: () => void, clear: (handle: unknown) => boolean): object {
  const handle = {
    ref() {
      timer.isRef = true
      timer.real?.ref()
      return handle
    },
    unref() {
      timer.isRef = false
      timer.real?.unref()
      return handle
    },
    hasRef: () => timer.isRef,
    refresh() {
      refresh()
      return handle
    },
    close() {
      clear(handle)
      return handle
    },
    [Symbol.toPrimitive]: () => timer.id,
    [Symbol.dispose ?? Symbol.for('dispose')]: () => void clear(handle),
  }
  return handle
}

function abortError({ reason }: AbortSignal): Error {
  const error = new Error('The operation was aborted', { cause: reason })
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' })
}

/** The setTimeout of node:timers/promises. */
function waiting(schedule: Schedule) {
  return <Value>(
    delay?: number,
    value?: Value,
    { signal, ref = true }: WaitOptions = {},
  ): Promise<Value | undefined> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortError(signal))
      const abort = (): void => {
        schedule.clear(handle)
        reject(abortError(signal!))
      }
      const end = (): void => {
        signal?.removeEventListener('abort', abort)
        resolve(value)
      }
      const handle = schedule.set(end, delay, false, []) as RealTimer
      if (!ref) handle.unref()
      signal?.addEventListener('abort', abort, { once: true })
    })
}

export function useTimers(load: Load, schedule: Schedule): void {
  const timers = load('node:timers') as RealTimers
  const promises = load('node:timers/promises') as Record<string, unknown>
  const { promisify } = load('node:util') as typeof import('node:util')
  const real = { ...timers }
  const wait = waiting(schedule)
  const replacement = {
    setTimeout: (callback: unknown, delay?: unknown, ...args: unknown[]) =>
      schedule.set(callback, delay, false, args),
    setInterval: (callback: unknown, delay?: unknown, ...args: unknown[]) =>
      schedule.set(callback, delay, true, args),
    clearTimeout: (handle: unknown) => schedule.clear(handle) || real.clearTimeout(handle),
    clearInterval: (handle: unknown) => schedule.clear(handle) || real.clearInterval(handle),
  }
  Object.defineProperty(replacement.setTimeout, promisify.custom, { value: wait })
  Object.assign(timers, replacement)
  Object.assign(globalThis, replacement)
  promises['setTimeout'] = wait
  promises['setInterval'] = async function* ticks(delay?: number, value?: unknown, options?: WaitOptions) {
    for (;;) yield await wait(delay, value, options)
  }
  Object.assign(promises['scheduler'] as object, {
    wait: (delay: number, options?: WaitOptions) => wait(delay, undefined, options),
  })
  ;(load('node:module') as { syncBuiltinESMExports: () => void }).syncBuiltinESMExports()
}
