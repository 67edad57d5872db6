import type { Instant } from '@quipu/core'
import { instantOfNanos } from '@quipu/core/values'
import type { Rank, WorldClock } from './clock.ts'
import { type Timer, Timers } from './timers.ts'

/** Node's timers use the monotonic clock. After a step of the system clock they are rescheduled within this time. */
const SLEEP_MAX_MS = 60_000

/** The allowed drift between the monotonic and the system clock before the offset is updated. */
const DRIFT_MAX_NS = 2_000_000n
let base = calendarNow() - process.hrtime.bigint()

/** The system clock has millisecond precision, so more frequent checks are useless. */
const CHECK_EVERY_NS = 1_000_000n
let checkAt = 0n

/** Real time in nanoseconds: the monotonic clock plus its offset to the system clock, updated after clock changes. */
export function wallNow(): Instant {
  const now = base + process.hrtime.bigint()
  if (now < checkAt) return instantOfNanos(now)
  checkAt = now + CHECK_EVERY_NS
  const drift = now - calendarNow()
  if (drift > -DRIFT_MAX_NS && drift < DRIFT_MAX_NS) return instantOfNanos(now)
  base = calendarNow() - process.hrtime.bigint()
  checkAt = 0n
  return instantOfNanos(base + process.hrtime.bigint())
}

function calendarNow(): bigint {
  return BigInt(Date.now()) * 1_000_000n
}

/** Real time. Timers fire when they are due, or as soon as the process is free. */
export class WallClock implements WorldClock {
  readonly #timers = new Timers()
  readonly #onError: (error: unknown) => void
  #alarm: NodeJS.Timeout | undefined

  constructor(failed: (error: unknown) => void) {
    this.#onError = failed
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
    // Rounded up, because an early alarm would only be set again.
    const waitMs = Number((first.due - this.now() + 999_999n) / 1_000_000n)
    this.#alarm = setTimeout(() => this.#runDue(), Math.min(Math.max(waitMs, 0), SLEEP_MAX_MS))
    this.#alarm.unref()
  }

  #runDue(): void {
    for (let timer = this.#takeDue(); timer; timer = this.#takeDue())
      try {
        const running = timer.run()
        if (running) running.catch(this.#onError)
      } catch (error) {
        this.#onError(error)
      }
    this.#setAlarm()
  }

  #takeDue(): Timer | undefined {
    return this.#timers.takeDue(this.now())
  }
}
