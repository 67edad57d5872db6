import type { Instant } from '@quipu/core'
import { MINUTE, SECOND } from '@quipu/core/values'
import type { WorldClock } from './clock.ts'

/** The parts of a world that the watch reads. */
export type WatchedWorld = {
  readonly id: string
  readonly status: { readonly isUp: boolean }
  readonly clock: Pick<WorldClock, 'now'>
  readonly view: { readonly lastAt: Instant }
}

type Facts = { readonly [name: string]: string | number }

const CHECK_MS = 1_000
/** Smaller differences are ordinary corrections of a clock. */
const REPORTED_MS = 60_000
const REPEAT_MS = 60_000

/** Seconds that the clock is behind the last event; 0 up to a minute. The time of events never goes back. */
export function clockBehindSeconds(world: WatchedWorld): number {
  const behind = world.status.isUp ? world.view.lastAt - world.clock.now() : 0n
  return behind > MINUTE ? Number(behind / SECOND) : 0
}

/** A warning that time has stopped in a world because its clock is behind. */
export function clockWarning(world: WatchedWorld): string | undefined {
  const seconds = clockBehindSeconds(world)
  if (seconds === 0) return undefined
  return (
    `the wall clock is ${seconds} s behind the last event of ${world.id}; ` +
    'time is stopped in this world until the clock catches up (docs/guides/operations.md, "The wall clock")'
  )
}

/** Logs steps of the wall clock, and each minute that it is behind the last event. */
export class ClockWatch {
  readonly #world: WatchedWorld
  readonly #warn: (message: string, facts: Facts) => void
  /** Wall clock minus monotonic clock. */
  #offsetMs: number | undefined
  #warnedMs = Number.NEGATIVE_INFINITY
  readonly #timer: NodeJS.Timeout

  constructor(world: WatchedWorld, warn: (message: string, facts: Facts) => void) {
    this.#world = world
    this.#warn = warn
    this.check()
    this.#timer = setInterval(() => this.check(), CHECK_MS).unref()
  }

  check(wallMs = Date.now(), monotonicMs = performance.now()): void {
    const offsetMs = wallMs - monotonicMs
    const stepMs = offsetMs - (this.#offsetMs ?? offsetMs)
    this.#offsetMs = offsetMs
    if (Math.abs(stepMs) > REPORTED_MS)
      this.#warn('the wall clock stepped', {
        seconds: Math.round(stepMs / 1_000),
        from: new Date(wallMs - stepMs).toISOString(),
        to: new Date(wallMs).toISOString(),
      })
    const warning = monotonicMs - this.#warnedMs < REPEAT_MS ? undefined : clockWarning(this.#world)
    if (warning === undefined) return
    this.#warnedMs = monotonicMs
    this.#warn(warning, { world: this.#world.id })
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
