import { readFileSync } from 'node:fs'
import timersModule from 'node:timers'
import {
  type Callback,
  handleOf,
  newTimer,
  type ProgramClock,
  type ProgramTimer,
  type RealTimer,
  type RealTimers,
  type Schedule,
  useDate,
  useTimers,
} from './timers.ts'

/** The state of the world's clock, as the runner writes it into a file. Times are in milliseconds since 1970. */
export type ClockState = {
  readonly now: number
  /** 0: frozen. */
  readonly speed: number
  /** The real time at which the world had the time `now`. */
  readonly at: number
}

type Clock = ProgramClock & { speed(): number; read(): boolean }

/** Gives the program the `Date` and the timers of the world, whose clock is in the file. */
export function start(file: string): void {
  const timers = timersModule as unknown as RealTimers
  const clock = worldClock(file, Date.now)
  clock.read()
  useDate(clock)
  const schedule = timerSchedule({ ...timers }, clock)
  const setInterval = timers.setInterval as (callback: Callback, delay: number) => RealTimer
  const poll = (): void => {
    if (clock.read()) schedule.resume()
  }
  setInterval(poll, 20).unref()
  useTimers(schedule)
}

function worldClock(file: string, realNow: () => number): Clock {
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

/** Timers by the clock of the world: a frozen clock holds them, and keeps the program running like any other timer. */
function timerSchedule(real: RealTimers, clock: Clock): Schedule & { resume(): void } {
  const LONGEST = 2 ** 31 - 1
  const pending = new Map<number, ProgramTimer>()
  let lastId = 0
  const arm = (timer: ProgramTimer): void => {
    real.clearTimeout(timer.real)
    const wait = timer.due - clock.now()
    const realWait = wait <= 0 ? 0 : clock.speed() > 0 ? wait / clock.speed() : LONGEST
    timer.real = real.setTimeout(() => check(timer), Math.min(realWait, LONGEST))
    if (!timer.isRef) timer.real.unref()
  }
  const check = (timer: ProgramTimer): void => {
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
