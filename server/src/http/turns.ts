import { ClientDisconnected } from '../process/long-work.ts'
import { MAIN } from '../worlds/worlds.ts'

/** Requests of a world begun in one turn of the event loop, while several worlds are active. */
const PER_TURN = 4
/** Requests of all worlds begun in one turn: 1 to 2 ms of CPU. `main` may begin its own beyond them. */
const TURN_MAX = 8
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
 * active worlds, each begins a few requests per turn of the event loop and the rest wait in a queue per world. So one
 * world delays another by at most one turn, and all worlds together delay `main` by at most one turn.
 */
export class Turns {
  readonly #perTurn: number
  readonly #turnMax: number
  /** The number of requests that each world has begun in this turn. */
  readonly #begun = new Map<string, number>()
  #total = 0
  /** Waiting requests by world, in order of arrival. The next world is first; no queue is empty. */
  readonly #queues = new Map<string, Waiting[]>()
  #latest: string | undefined
  #sharedUntilMs = Number.NEGATIVE_INFINITY
  #isNextSet = false

  constructor(perTurn = PER_TURN, turnMax = TURN_MAX) {
    this.#perTurn = perTurn
    this.#turnMax = turnMax
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
    const hasRoom = this.#total < this.#turnMax || world === MAIN
    if (queue === undefined && hasRoom && this.#begin(world)) return undefined
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
    this.#total += 1
    return true
  }

  #setNext(): void {
    if (this.#isNextSet) return
    this.#isNextSet = true
    setImmediate(() => this.#next())
  }

  /** Starts a turn: begins waiting requests up to the maximum, one per world in rotation. */
  #next(): void {
    this.#isNextSet = false
    this.#begun.clear()
    this.#total = 0
    while (this.#total < this.#turnMax && this.#queues.size > 0) {
      const next = this.#takeNext()
      if (!next) break
      next.begin()
    }
    if (this.#queues.size > 0 || this.#begun.size > 0) this.#setNext()
  }

  /** The next waiting request; skips requests of disconnected clients. Undefined if each world has begun its maximum. */
  #takeNext(): Waiting | undefined {
    for (const [world, queue] of this.#queues) {
      const isClosed = queue[0]!.client.isClosed
      // Worlds rotate, so the worlds after this one have begun as many.
      if (!isClosed && !this.#begin(world)) return undefined
      const first = queue.shift()!
      this.#queues.delete(world)
      if (queue.length > 0) this.#queues.set(world, queue)
      if (!isClosed) return first
      first.cancel(new ClientDisconnected())
    }
    return undefined
  }
}
