import { ClientDisconnected } from '../process/long-work.ts'

/** Requests of a world begun in one turn of the event loop, while several worlds are active. */
const PER_TURN = 4
/** A world is active for this time after each of its requests. */
const ACTIVE_MS = 60_000

type Client = { readonly isClosed: boolean }

type Waiting = {
  readonly client: Client
  readonly begin: () => void
  readonly cancel: (error: ClientDisconnected) => void
}

/**
 * Shares the one thread fairly between worlds. While a single world is active, its requests begin at once. With several
 * active worlds, each begins a few requests per turn of the event loop and the rest wait in a queue per world. So the
 * request of a quiet world waits for one turn at most.
 */
export class Turns {
  readonly #perTurn: number
  /** The number of requests that each world has begun in this turn. */
  readonly #begun = new Map<string, number>()
  /** Waiting requests by world, in order of arrival. The next world is first; no queue is empty. */
  readonly #queues = new Map<string, Waiting[]>()
  #latest: string | undefined
  #sharedUntilMs = Number.NEGATIVE_INFINITY
  #isNextSet = false

  constructor(perTurn = PER_TURN) {
    this.#perTurn = perTurn
  }

  /**
   * Returns undefined if the request may begin at once. Else resolves in its turn, or rejects if its client has
   * disconnected by then. `nowMs` is real time.
   */
  wait(world: string, nowMs: number, client: Client): Promise<void> | undefined {
    if (world !== this.#latest) this.#changeWorld(world, nowMs)
    if (nowMs >= this.#sharedUntilMs && this.#queues.size === 0) return undefined
    this.#setNext()
    const queue = this.#queues.get(world)
    if (queue === undefined && this.#begin(world)) return undefined
    return new Promise((begin, cancel) => {
      const waiting = { client, begin, cancel }
      if (queue === undefined) this.#queues.set(world, [waiting])
      else queue.push(waiting)
    })
  }

  #changeWorld(world: string, nowMs: number): void {
    if (this.#latest !== undefined) this.#sharedUntilMs = nowMs + ACTIVE_MS
    this.#latest = world
  }

  /** Returns false if the world has begun its maximum in this turn. */
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

  /** Starts a turn: begins waiting requests up to the maximum of one world, one per world in rotation. */
  #next(): void {
    this.#isNextSet = false
    this.#begun.clear()
    for (let rest = this.#perTurn; rest > 0 && this.#queues.size > 0; rest -= 1) this.#takeNext()?.begin()
    if (this.#queues.size > 0 || this.#begun.size > 0) this.#setNext()
  }

  /** The next waiting request; skips requests of disconnected clients. */
  #takeNext(): Waiting | undefined {
    for (const [world, queue] of this.#queues) {
      const first = queue.shift()!
      this.#queues.delete(world)
      if (queue.length > 0) this.#queues.set(world, queue)
      if (!first.client.isClosed) {
        this.#begin(world)
        return first
      }
      first.cancel(new ClientDisconnected())
    }
    return undefined
  }
}
