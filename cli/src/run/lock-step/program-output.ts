import type { Readable } from 'node:stream'

/** A reader of our own output that is slow holds the pipes back. */
const HELD_BACK_MS = 1

/**
 * How this works: the clock may move when the program is done. What the program wrote before is in its pipes then, so it is
 * read in the next turn of the event loop, at the time of the world when it was written.
 */
export class ProgramOutput {
  readonly #read: () => void
  #pipes: readonly Readable[] = []
  #isReading = false
  #hasRead = false
  /** Only while `read` is called. */
  #isUpToDate = false

  /** `read` is called when the output until then has been read. */
  constructor(read: () => void) {
    this.#read = read
  }

  /** The pipes that the program writes to. They are read elsewhere. */
  follow(pipes: readonly Readable[]): void {
    this.#pipes = pipes
    for (const pipe of pipes)
      pipe.on('data', () => {
        this.#hasRead = true
      })
  }

  /** Whether all that the program has written is read. If not, `read` is called later. */
  isRead(): boolean {
    if (this.#pipes.length === 0 || this.#isUpToDate) return true
    if (!this.#isReading) {
      this.#isReading = true
      this.#turn()
    }
    return false
  }

  #turn(): void {
    this.#hasRead = false
    setImmediate(() => {
      if (this.#pipes.some((pipe) => pipe.isPaused() && !pipe.destroyed))
        setTimeout(() => this.#turn(), HELD_BACK_MS)
      else if (this.#hasRead) this.#turn()
      else this.#done()
    })
  }

  #done(): void {
    this.#isReading = false
    this.#isUpToDate = true
    try {
      this.#read()
    } finally {
      this.#isUpToDate = false
    }
  }
}
