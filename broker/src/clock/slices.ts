/** How long a world works before the others get a turn. */
const SLICE_MS = 1

/**
 * Shares the thread between the long work of all worlds, such as advances. In one turn of the event loop one world works
 * for one slice; the others wait in order. So requests wait for one slice, however many worlds are advanced.
 */
export class Slices {
  readonly #waiting: { readonly owner: object; readonly resume: () => void }[] = []
  /** The world that works in this turn, and since when. */
  #owner: object | undefined
  #startMs = 0
  #isTurnSet = false
  readonly #nowMs: () => number

  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** Call it before each step. Returns undefined if the owner may work now, else a promise for its next slice. */
  enter(owner: object): Promise<void> | undefined {
    if (this.#owner === owner && this.#nowMs() - this.#startMs < SLICE_MS) return undefined
    if (this.#owner !== undefined || this.#waiting.length > 0) return this.wait(owner)
    this.#begin(owner)
    return undefined
  }

  /** Resolves when the owner may work, in a later turn of the event loop. */
  wait(owner: object): Promise<void> {
    this.#setTurn()
    return new Promise((resume) => this.#waiting.push({ owner, resume }))
  }

  #begin(owner: object): void {
    this.#owner = owner
    this.#startMs = this.#nowMs()
    this.#setTurn()
  }

  #setTurn(): void {
    if (this.#isTurnSet) return
    this.#isTurnSet = true
    setImmediate(() => {
      this.#isTurnSet = false
      this.#owner = undefined
      const next = this.#waiting.shift()
      if (!next) return
      this.#begin(next.owner)
      next.resume()
    })
  }
}

/** The slices of this process. */
export const slices = new Slices()
