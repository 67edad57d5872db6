import { type Instant, min } from '@quipu/core'

/** A move in which the clock waits for clients. */
export type Replay = {
  readonly to: Instant
  /** The next instant after `now` at which a step ends. */
  readonly stepAfter: (now: Instant) => Instant
  /** Resolves when the clients are done with everything so far, or when the replay is stopped. */
  readonly clientsDone: (stopped: AbortSignal) => Promise<void>
}

/** What a replay did: its steps, and whether it was stopped before the clients were done at its end. */
export type ReplayMove = { readonly steps: number; readonly isStopped: boolean }

/** What a step of a replay waits for, and when it ends early. */
export type ReplayStep = { readonly clientsDone: () => Promise<void>; readonly stopped: AbortSignal }

/** The parts of a clock that a replay uses. */
type ReplayedClock = {
  readonly now: () => Instant
  readonly freeze: () => Promise<void>
  /** Moves after the moves before it have ended. */
  readonly move: (to: () => Instant, step: ReplayStep) => Promise<void>
  /** Reports a move to an instant as in progress while it runs. */
  readonly reporting: (to: Instant, run: () => Promise<void>) => Promise<void>
}

/** The replays of one clock, one at a time. */
export class Replays {
  readonly #clock: ReplayedClock
  #replay: AbortController | undefined
  #end: Instant

  constructor(clock: ReplayedClock) {
    this.#clock = clock
    this.#end = clock.now()
  }

  /** Whether the clock waits for the clients after each message. */
  get isRunning(): boolean {
    return this.#replay?.signal.aborted === false
  }

  /** The end of the last replay. */
  get end(): Instant {
    return this.#end
  }

  /**
   * Moves in steps, and waits for the clients at every instant at which something happened. Freezing or running the
   * clock ends it early.
   */
  async run({ to, stepAfter, clientsDone }: Replay): Promise<ReplayMove> {
    const clock = this.#clock
    await clock.freeze()
    const replay = new AbortController()
    this.#replay = replay
    this.#end = to
    const { signal } = replay
    const done = (): Promise<void> => clientsDone(signal)
    const next = (): Instant => min(stepAfter(clock.now()), to)
    let [steps, isStopped] = [0, false]
    const run = async (): Promise<void> => {
      await done()
      while (clock.now() < to && !signal.aborted) {
        await clock.move(next, { clientsDone: done, stopped: signal })
        steps += 1
      }
      isStopped = signal.aborted
    }
    await clock.reporting(to, run).finally(() => replay.abort())
    return { steps, isStopped }
  }

  /** Ends a replay after the running step. */
  stop(): void {
    this.#replay?.abort()
  }
}
