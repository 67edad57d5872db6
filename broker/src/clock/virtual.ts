import { CLOCK_END, type Instant, later, min } from '@quipu/core'
import type { Rank, WorldClock } from './clock.ts'
import { type ReplayStep, Replays } from './replays.ts'
import { slices } from './slices.ts'
import { Timers } from './timers.ts'

/** Interval at which a running clock checks for due timers. */
const TICK_MS = 5

/** A move that a caller requested, while it runs. */
export type Advancing = { readonly from: Instant; readonly to: Instant; readonly until?: string | undefined }

type AdvanceOptions = {
  /** Ends the move early, at the instant of a timer. */
  readonly isReached?: (() => boolean) | undefined
  /** The name of what the caller waits for. */
  readonly until?: string | undefined
}

/** What a move waits for, and when it ends early. */
type MoveOptions = Partial<ReplayStep> & Pick<AdvanceOptions, 'isReached'>

/**
 * A virtual clock: frozen, stepped, replayed, or running at a speed. It moves from timer to timer and waits until each has
 * finished and the world is idle, so that the same steps always give the same result.
 */
export class VirtualClock implements WorldClock {
  readonly replays: Replays
  readonly #timers = new Timers()
  readonly #idle: () => Promise<void>
  readonly #onError: (error: unknown) => void
  readonly #moved: ((now: Instant, isRunning: boolean) => Promise<void>) | undefined
  #now: Instant
  #speed = 0
  /** The number of calls of `run` so far. */
  #runs = 0
  #wallMs = 0
  #tick: NodeJS.Timeout | undefined
  #moving: Promise<unknown> = Promise.resolve()
  #advancing: Advancing | undefined
  /** The number of stops so far. */
  #stops = 0
  readonly #watchers = new Set<() => void>()

  /** `idle` resolves when all work that a step started has finished. A move ends when `moved` has resolved. */
  constructor(
    start: Instant,
    idle: () => Promise<void>,
    failed: (error: unknown) => void,
    moved?: (now: Instant, isRunning: boolean) => Promise<void>,
  ) {
    this.#now = start
    this.#moved = moved
    this.#idle = idle
    this.#onError = failed
    this.replays = new Replays({
      now: () => this.#now,
      freeze: () => this.freeze(),
      move: (to, step) => this.#queue(() => this.#advance(to(), step)),
      reporting: (to, run) => this.#reporting({ to }, run),
    })
  }

  now(): Instant {
    return this.#now
  }

  get speed(): number {
    return this.#speed
  }

  /** The advance or replay in progress. */
  get advancing(): Advancing | undefined {
    return this.#advancing
  }

  /** Calls the listener when the clock moves, runs or freezes, and when an advance begins or ends. */
  watch(listener: () => void): () => void {
    this.#watchers.add(listener)
    return () => this.#watchers.delete(listener)
  }

  /** The instant of the next timer, and the first instant after it at which something else happens or a replay ends. */
  nextAlone(): { readonly due: Instant; readonly until: Instant } | undefined {
    const due = this.#timers.first()?.due
    if (due === undefined || due > this.replays.end) return undefined
    const afterReplay = later(this.replays.end, 1n)
    return { due, until: min(this.#timers.second()?.due ?? afterReplay, afterReplay) }
  }

  timer(due: Instant, rank: Rank, run: () => void | Promise<void>): () => void {
    const timer = this.#timers.add(due, rank, run)
    return () => this.#timers.remove(timer)
  }

  /**
   * Moves to an instant and runs every due timer on the way. Stops early, at the instant of a timer, when `isReached`
   * returns true, or after a call of `stop`. Moves run one at a time. Returns whether a stop ended it early.
   */
  async advance(to: Instant, { isReached, until }: AdvanceOptions = {}): Promise<boolean> {
    const stops = this.#stops
    const isOver = () => this.#stops !== stops || isReached?.() === true
    await this.#queue(() => this.#reporting({ to, until }, () => this.#advance(to, { isReached: isOver })))
    return this.#stops !== stops && this.#now < to && isReached?.() !== true
  }

  /** Ends the advances that were requested before, and a replay, at their next step. */
  async stop(): Promise<void> {
    this.#stops += 1
    this.replays.stop()
    await this.#moving
  }

  /**
   * 0 freezes; 1 is real time. A running clock freezes at the end of the calendar. Ends the move of the run before at its
   * next step.
   */
  run(speed: number): void {
    clearTimeout(this.#tick)
    this.replays.stop()
    this.#runs += 1
    this.#speed = speed
    this.#wallMs = performance.now()
    if (speed > 0) this.#scheduleTick()
    this.#notify()
  }

  /** Stops after the timers of the instant; an advance ends first. */
  async freeze(): Promise<void> {
    this.run(0)
    await this.#moving
    await this.#moved?.(this.#now, false)
  }

  close(): void {
    this.run(0)
    this.#timers.clear()
  }

  /** Runs a move after the moves before it. */
  #queue(run: () => Promise<void>): Promise<void> {
    const move = this.#moving.then(run)
    this.#moving = move.catch(() => undefined)
    return move
  }

  /** Reports a move as in progress while it runs. */
  async #reporting(move: Omit<Advancing, 'from'>, run: () => Promise<void>): Promise<void> {
    this.#advancing = { from: this.#now, ...move }
    this.#notify()
    try {
      await run()
    } finally {
      this.#advancing = undefined
      this.#notify()
    }
  }

  #moveTo(now: Instant): void {
    this.#now = now
    this.#notify()
  }

  #notify(): void {
    for (const listener of this.#watchers) listener()
  }

  async #advance(to: Instant, options: MoveOptions): Promise<void> {
    await this.#move(to, options)
    await this.#moved?.(this.#now, this.#speed > 0)
  }

  async #move(to: Instant, { isReached, clientsDone, stopped }: MoveOptions): Promise<void> {
    // A replay has waited for the clients, and they for the world.
    if (!clientsDone) await this.#idle()
    let end = isReached?.() ? this.#now : to
    for (let timer = this.#timers.takeDue(end); timer; timer = this.#timers.takeDue(end)) {
      const slice = slices.enter(this)
      if (slice) await slice
      if (timer.due > this.#now) this.#moveTo(timer.due)
      await timer.run()
      await this.#idle()
      if (clientsDone) {
        // All messages of one instant are sent before the clients are awaited, and their own timers run last.
        if (this.#timers.first()?.due !== timer.due || this.#timers.isClientFirst) await clientsDone()
        if (stopped?.aborted) return
      }
      // The other timers of this instant still run.
      if (isReached?.()) end = this.#now
    }
    if (end <= this.#now) return
    this.#moveTo(end)
    await clientsDone?.()
  }

  #scheduleTick(): void {
    const runs = this.#runs
    // A world that cannot keep up has moves of many seconds.
    const isReached = () => this.#runs !== runs
    this.#tick = setTimeout(() => {
      const wallMs = performance.now()
      const stepNs = BigInt(Math.round((wallMs - this.#wallMs) * 1_000_000 * this.#speed))
      this.#wallMs = wallMs
      const to = min(later(this.#now, stepNs), CLOCK_END)
      this.#queue(() => this.#advance(to, { isReached }))
        .catch(this.#onError)
        .finally(() => {
          if (isReached()) return
          if (this.#now >= CLOCK_END) this.run(0)
          else this.#scheduleTick()
        })
    }, TICK_MS)
    this.#tick.unref()
  }
}
