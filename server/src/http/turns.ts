import { ClientDisconnected } from '../process/long-work.ts'

/** Requests of a world begun in one turn of the event loop, while several worlds are active. */
const PER_TURN = 4
/** A world is active for so long after each of its requests. */
const ACTIVE_MS = 60_000

type Client = { readonly isClosed: boolean }

type Waiting = {
  readonly client: Client
  readonly begin: () => void
  readonly leave: (error: ClientDisconnected) => void
}

/**
 * Worlds take turns at the one thread that answers. While one world alone is active its requests go straight on.
 * With several, each begins a few requests in a turn of the event loop, and what more it has waits for the next turns:
 * a client that is not answered asks for nothing more, so turns stay short, and the request of a quiet world never
 * finds more than one such turn before it.
 */
export class Turns {
  readonly #perTurn: number
  /** How many each world has begun in this turn. */
  readonly #begun = new Map<string, number>()
  /** Who waits, by world, as they came. The world that is next stands first; no line is empty. */
  readonly #lines = new Map<string, Waiting[]>()
  #latest: string | undefined
  #sharedUntilMs = Number.NEGATIVE_INFINITY
  #isNextSet = false

  constructor(perTurn = PER_TURN) {
    this.#perTurn = perTurn
  }

  /**
   * Nothing where a request may begin at once. Else resolves when its turn has come, or rejects if its client has left
   * by then. `nowMs` is the machine's time.
   */
  wait(world: string, nowMs: number, client: Client): Promise<void> | undefined {
    if (world !== this.#latest) this.#seeOther(world, nowMs)
    if (nowMs >= this.#sharedUntilMs && this.#lines.size === 0) return undefined
    this.#setNext()
    const line = this.#lines.get(world)
    if (line === undefined && this.#begin(world)) return undefined
    return new Promise((begin, leave) => {
      const waiting = { client, begin, leave }
      if (line === undefined) this.#lines.set(world, [waiting])
      else line.push(waiting)
    })
  }

  #seeOther(world: string, nowMs: number): void {
    if (this.#latest !== undefined) this.#sharedUntilMs = nowMs + ACTIVE_MS
    this.#latest = world
  }

  /** False where the world has had its share of this turn. */
  #begin(world: string): boolean {
    const begun = this.#begun.get(world) ?? 0
    if (begun >= this.#perTurn) return false
    this.#begun.set(world, begun + 1)
    return true
  }

  #setNext(): void {
    if (this.#isNextSet) return
    this.#isNextSet = true
    setImmediate(() => this.#next())
  }

  /** A turn begins. What all worlds together begin of their lines is one share, one request of each in rotation. */
  #next(): void {
    this.#isNextSet = false
    this.#begun.clear()
    for (let left = this.#perTurn; left > 0 && this.#lines.size > 0; left -= 1) this.#takeNext()?.begin()
    if (this.#lines.size > 0 || this.#begun.size > 0) this.#setNext()
  }

  /** The next who is still there. Those who have left cost nobody a place. */
  #takeNext(): Waiting | undefined {
    for (const [world, line] of this.#lines) {
      const first = line.shift()!
      this.#lines.delete(world)
      if (line.length > 0) this.#lines.set(world, line)
      if (!first.client.isClosed) {
        this.#begin(world)
        return first
      }
      first.leave(new ClientDisconnected())
    }
    return undefined
  }
}
