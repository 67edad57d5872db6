import { type Instant, MINUTE, max, SECOND } from '@quipu/core'
import type { WorldClock } from '../clock/clock.ts'

export type ChainParts<Tick> = {
  readonly clock: WorldClock
  /** How far this feed is behind the clock. */
  readonly delayNs: bigint
  /** What comes first after a moment of the tape. */
  readonly next: (after: Instant) => Promise<Next<Tick>>
  readonly told: (tick: Tick) => void
  readonly failed: (error: unknown) => void
}

/** What comes next, and where on the tape to go on from once it was told. */
export type Next<Tick> = { readonly at: Instant; readonly tick?: Tick; readonly after: Instant }

/** How far ahead the market is asked for the next tick. */
export const HORIZON_NS = MINUTE
/** What a sleeping machine missed by more than this is not told afterwards. */
const LATE_MAX_NS = 5n * SECOND

/** Nothing before the horizon: there it is looked at again, the horizon itself included. */
export const silence = (after: Instant): Next<never> => {
  const at = (after + HORIZON_NS) as Instant
  return { at, after: (at - 1n) as Instant }
}

/**
 * The ticks of one symbol and one kind, told one after the other as the clock reaches them. Finding the next one
 * is part of telling the one before, so a virtual clock never passes one by.
 */
export class Chain<Tick> {
  /** Resolves when the first tick is known. */
  readonly started: Promise<void>
  readonly #parts: ChainParts<Tick>
  #cancel: (() => void) | undefined
  #stopped = false

  constructor(parts: ChainParts<Tick>) {
    this.#parts = parts
    this.started = this.#plan((parts.clock.now() - parts.delayNs) as Instant)
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  /** Finds the next tick after a moment of the tape and waits for it. */
  async #plan(after: Instant): Promise<void> {
    const { clock, delayNs, next, failed } = this.#parts
    const found = await next(after).catch((error): Next<Tick> => {
      failed(error)
      return silence(after)
    })
    if (this.#stopped) return
    const due = (found.at + delayNs) as Instant
    this.#cancel = clock.timer(due, 'feed', () => this.#reached(found))
  }

  #reached({ tick, after }: Next<Tick>): Promise<void> {
    const { clock, delayNs, told } = this.#parts
    if (tick !== undefined) told(tick)
    const earliest = (clock.now() - delayNs - LATE_MAX_NS) as Instant
    return this.#plan(max(after, earliest))
  }
}
