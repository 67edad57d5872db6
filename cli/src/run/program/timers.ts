import { syncBuiltinESMExports } from 'node:module'
import timersModule from 'node:timers'
import promisesModule from 'node:timers/promises'
import { promisify } from 'node:util'

export type ProgramClock = { now(): number }
export type Callback = (...args: unknown[]) => void
export type RealTimer = { ref(): void; unref(): void }
export type RealTimers = {
  setTimeout: (callback: Callback, delay: number) => RealTimer
  setInterval: unknown
  clearTimeout: (timer: unknown) => void
  clearInterval: (timer: unknown) => void
}
export type ProgramTimer = {
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

/** Replaces `Date` by one that has the time of the clock. */
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

export function newTimer(
  id: number,
  callback: unknown,
  delay: unknown,
  repeats: boolean,
  args: readonly unknown[],
  /** A clock that stands still holds no timer of a millisecond or less. */
  canStand = true,
): ProgramTimer {
  if (typeof callback !== 'function') throw new TypeError('The "callback" argument must be of type function.')
  const asked = Number(delay)
  const shortest = repeats || (asked > 0 && !canStand) ? 1 : 0
  // As in Node, a delay out of range is the shortest.
  const held = asked > 1 && asked < 2 ** 31 ? asked : shortest
  return { id, delay: held, repeats, call: () => callback(...args), due: 0, isRef: true }
}

/** The object that setTimeout returns. */
export function handleOf(
  timer: ProgramTimer,
  refresh: () => void,
  clear: (handle: unknown) => boolean,
): object {
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

/** The setInterval of node:timers/promises: it ticks on while its reader does something else. */
function ticking(schedule: Schedule) {
  return async function* ticks<Value>(
    delay?: number,
    value?: Value,
    { signal, ref = true }: WaitOptions = {},
  ): AsyncGenerator<Value | undefined> {
    let [due, wake] = [0, (): void => undefined]
    const tick = (): void => {
      due += 1
      wake()
    }
    if (signal?.aborted) throw abortError(signal)
    const handle = schedule.set(tick, delay, true, []) as RealTimer
    if (!ref) handle.unref()
    const abort = (): void => wake()
    signal?.addEventListener('abort', abort, { once: true })
    try {
      for (;;) {
        for (; due > 0; due -= 1) yield value
        if (signal?.aborted) throw abortError(signal)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    } finally {
      schedule.clear(handle)
      signal?.removeEventListener('abort', abort)
    }
  }
}

/** Replaces the timers of Node, wherever a program finds them. */
export function useTimers(schedule: Schedule): void {
  const timers = timersModule as unknown as RealTimers
  const promises = promisesModule as unknown as Record<string, unknown>
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
  promises['setInterval'] = ticking(schedule)
  Object.assign(promises['scheduler'] as object, {
    wait: (delay: number, options?: WaitOptions) => wait(delay, undefined, options),
  })
  syncBuiltinESMExports()
}
