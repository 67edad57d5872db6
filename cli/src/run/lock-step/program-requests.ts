import type { LookAhead } from './look-ahead.ts'

/** What the program sends: requests, and messages on its streams. Each runs at its time. */
export class ProgramRequests {
  readonly #ahead: LookAhead
  readonly #changed: () => void
  /** A connection ends without a whole response. */
  readonly broke: (socket: unknown) => void
  #holds = 0
  #begun = 0
  #lastMs = 0
  #passed = 0

  constructor(ahead: LookAhead, events: { readonly changed: () => void; broke(socket: unknown): void }) {
    this.#ahead = ahead
    this.#changed = events.changed
    this.broke = events.broke
  }

  get areDone(): boolean {
    return this.#holds === 0
  }

  get hasBegun(): boolean {
    return this.#begun > 0
  }

  /** Requests that were begun. */
  get count(): number {
    return this.#begun
  }

  /** Messages of streams that were passed on to the broker. */
  get passed(): number {
    return this.#passed
  }

  /** Whether there was a request, and none for some time since. */
  isQuietFor(ms: number): boolean {
    return this.hasBegun && performance.now() - this.#lastMs > ms
  }

  /** Runs a request at its time. It calls the function that it gets when its response is sent. */
  begin(request: (end: () => void) => void): void {
    this.#begun += 1
    this.#lastMs = performance.now()
    this.#ahead.enter(() => request(this.hold()))
  }

  /** Runs something that the program does on an open stream, at its time. */
  enter(action: () => void): void {
    this.#ahead.enter(action)
  }

  /** The program is not done until the returned function is called. */
  hold(): () => void {
    this.#holds += 1
    let isHeld = true
    return () => {
      if (isHeld) this.#holds -= 1
      isHeld = false
      this.#changed()
    }
  }

  /** A message of a stream was passed on to the broker. */
  passedToBroker(): void {
    this.#passed += 1
  }
}
