import type { Instant } from '@quipu/core'
import type { Rank, WorldClock } from './clock.ts'
import { type Timer, Timers } from './timers.ts'

/** Node's timers follow the monotonic clock. After a step of the wall clock they are set again within this time. */
const SLEEP_MAX_MS = 60_000

/** How far the two clocks of the machine may part before the calendar is believed again. */
const DRIFT_MAX_NS = 2_000_000n
let base = calendarNow() - process.hrtime.bigint()

/** The calendar is in milliseconds: it need not be looked at more often. */
const CHECK_EVERY_NS = 1_000_000n
let checkAt = 0n

/** Real time in nanoseconds: the monotonic clock, set by the calendar and set again when that was changed. */
export function wallNow(): Instant {
  const now = base + process.hrtime.bigint()
  if (now < checkAt) return now as Instant
  checkAt = now + CHECK_EVERY_NS
  const drift = now - calendarNow()
  if (drift > -DRIFT_MAX_NS && drift < DRIFT_MAX_NS) return now as Instant
  base = calendarNow() - process.hrtime.bigint()
  checkAt = 0n
  return (base + process.hrtime.bigint()) as Instant
}

function calendarNow(): bigint {
  return BigInt(Date.now()) * 1_000_000n
}

/** Real time. Timers fire when they are due, or as soon as the process comes to it. */
export class WallClock implements WorldClock {
  readonly #timers = new Timers()
  readonly #failed: (error: unknown) => void
  #alarm: NodeJS.Timeout | undefined

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed
  }

  now(): Instant {
    return wallNow()
  }

  timer(due: Instant, rank: Rank, run: () => void | Promise<void>): () => void {
    const timer = this.#timers.add(due, rank, run)
    if (this.#timers.first() === timer) this.#setAlarm()
    return () => this.#timers.remove(timer)
  }

  close(): void {
    this.#timers.clear()
    clearTimeout(this.#alarm)
  }

  #setAlarm(): void {
    clearTimeout(this.#alarm)
    const first = this.#timers.first()
    if (!first) return
    // Rounded up: an alarm that rings early would only be set again.
    const waitMs = Number((first.due - this.now() + 999_999n) / 1_000_000n)
    this.#alarm = setTimeout(() => this.#ring(), Math.min(Math.max(waitMs, 0), SLEEP_MAX_MS))
    this.#alarm.unref()
  }

  #ring(): void {
    for (let timer = this.#take(); timer; timer = this.#take())
      try {
        const running = timer.run()
        if (running) running.catch(this.#failed)
      } catch (error) {
        this.#failed(error)
      }
    this.#setAlarm()
  }

  #take(): Timer | undefined {
    return this.#timers.takeDue(this.now())
  }
}
