import { earlier, type Instant, later, MINUTE, max, SECOND } from '@quipu/core'
import type { WorldClock } from '../clock/clock.ts'

export type ChainParts<Tick> = {
  readonly clock: WorldClock
  /** Delay of this feed. */
  readonly delayNs: bigint
  /** Finds the first tick after an instant. */
  readonly next: (after: Instant) => Promise<Next<Tick>>
  readonly publish: (tick: Tick) => void
  readonly failed: (error: unknown) => void
}

/** The next tick, and the instant to continue from after it is published. */
export type Next<Tick> = { readonly at: Instant; readonly tick?: Tick | undefined; readonly after: Instant }

/** How far ahead the next tick is searched. */
export const HORIZON_NS = MINUTE
/** Ticks that are later than this, for example after a suspend of the machine, are not published. */
const LATE_MAX_NS = 5n * SECOND

/** No tick before the horizon. The search continues at the horizon, inclusive. */
export const silence = (after: Instant): Next<never> => {
  const at = later(after, HORIZON_NS)
  return { at, after: earlier(at, 1n) }
}

/**
 * Publishes the ticks of one symbol and kind when the clock reaches them. The next tick is found before the current
 * one is done, so that a virtual clock never skips a tick.
 */
export class FeedChain<Tick> {
  /** Resolves when the first tick is known. */
  readonly started: Promise<void>
  readonly #parts: ChainParts<Tick>
  #cancel: (() => void) | undefined
  #stopped = false

  constructor(parts: ChainParts<Tick>) {
    this.#parts = parts
    this.started = this.#plan(earlier(parts.clock.now(), parts.delayNs))
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  /** Finds the next tick after an instant and sets a timer for it. */
  async #plan(after: Instant): Promise<void> {
    const { clock, delayNs, next, failed } = this.#parts
    const found = await next(after).catch((error): Next<Tick> => {
      failed(error)
      return silence(after)
    })
    if (this.#stopped) return
    const due = later(found.at, delayNs)
    this.#cancel = clock.timer(due, 'feed', () => this.#reached(found))
  }

  #reached({ tick, after }: Next<Tick>): Promise<void> {
    const { clock, delayNs, publish } = this.#parts
    if (tick !== undefined) publish(tick)
    const earliest = earlier(clock.now(), delayNs + LATE_MAX_NS)
    return this.#plan(max(after, earliest))
  }
}
