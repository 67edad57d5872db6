import { ClientDisconnected } from '@quipu/broker/clock/long-work.ts'
import { MAIN } from '@quipu/broker/registry/worlds.ts'
import { threadMicros } from '@quipu/broker/threads/thread-clock.ts'
import { firstOf } from '@quipu/core/values'

/** Requests of a world begun in one turn of the event loop, while several worlds are active. */
const PER_TURN = 4
/** Requests of all worlds begun in one turn: 1 to 2 ms of CPU. `main` may begin its own beyond them. */
const TURN_MAX = 8
/** A turn begins no more waiting requests after this time, and reads no more requests after this time. */
const PART_MS = 0.3
/** A world is active for this time after each of its requests, and so is a connection. */
const ACTIVE_MS = 60_000

/** A connection. */
type Client = {
  readonly isClosed: boolean
  /** Stops reading from it. Returns false if its client waits for a response, so that it sends nothing. */
  hold(): boolean
  release(): void
  onClosed(run: () => void): void
}

type Waiting = {
  readonly client: Client
  readonly begin: () => void
  readonly cancel: (error: ClientDisconnected) => void
}

/**
 * Shares the one thread fairly between worlds. While a single world is active, its requests begin at once. With several
 * active worlds, each begins a few requests per turn of the event loop and the rest wait in a queue per world. So one
 * world delays another by at most one turn, and all worlds together delay `main` by at most one turn.
 *
 * A turn has two parts: it begins waiting requests, then it reads new ones. Node reads from every connection that has
 * data before it ends a turn, so when reading takes too long the other connections are held until the next turn. The
 * connections of `main` are always read.
 */
export class Turns {
  readonly #perTurn: number
  readonly #turnMax: number
  readonly #partMs: number
  /** The number of requests that each world has begun in this turn. */
  readonly #begun = new Map<string, number>()
  #total = 0
  /** Waiting requests by world, in order of arrival. The next world is first; no queue is empty. */
  readonly #queues = new Map<string, Waiting[]>()
  /** Until when each connection is active. Connections of `main` never are. */
  readonly #activeUntilMs = new Map<Client, number>()
  /** The connections that this turn reads no more; undefined while it reads all. */
  #held: Client[] | undefined
  /** When the first request of this turn had been read: real time, and CPU time of the thread. */
  #reading: { readonly sinceMs: number; readonly sinceMicros: number } | undefined
  #latest: string | undefined
  #sharedUntilMs = Number.NEGATIVE_INFINITY
  #isNextSet = false

  constructor(perTurn = PER_TURN, turnMax = TURN_MAX, partMs = PART_MS) {
    this.#perTurn = perTurn
    this.#turnMax = turnMax
    this.#partMs = partMs
  }

  /**
   * Returns undefined if the request may begin at once. Else resolves in its turn, or rejects if its client has
   * disconnected by then. `nowMs` is real time.
   */
  wait(world: string, nowMs: number, client: Client): Promise<void> | undefined {
    if (world !== this.#latest) this.#changeWorld(world, nowMs)
    if (nowMs >= this.#sharedUntilMs && this.#queues.size === 0) return undefined
    this.#setNext()
    const isRead = this.#noteRead(world, nowMs, client)
    const queue = this.#queues.get(world)
    const hasRoom = (isRead && this.#total < this.#turnMax) || world === MAIN
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

  /** Returns false if this turn has read long enough. */
  #noteRead(world: string, nowMs: number, client: Client): boolean {
    if (!this.#activeUntilMs.has(client)) client.onClosed(() => this.#activeUntilMs.delete(client))
    this.#activeUntilMs.set(client, world === MAIN ? Number.NEGATIVE_INFINITY : nowMs + ACTIVE_MS)
    if (this.#isReadingOver()) this.#held ??= this.#holdActive(nowMs)
    return this.#held === undefined
  }

  /** CPU time decides, because holding connections while other processes use the CPU helps nobody. */
  #isReadingOver(): boolean {
    const reading = this.#reading
    if (reading === undefined) this.#reading = { sinceMs: performance.now(), sinceMicros: threadMicros() }
    if (reading === undefined || performance.now() - reading.sinceMs < this.#partMs) return false
    return threadMicros() - reading.sinceMicros >= this.#partMs * 1000
  }

  #holdActive(nowMs: number): Client[] {
    const held: Client[] = []
    for (const [client, untilMs] of this.#activeUntilMs)
      if (untilMs > nowMs && client.hold()) held.push(client)
    return held
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

  /** Starts a turn. */
  #next(): void {
    this.#isNextSet = false
    this.#begun.clear()
    this.#total = 0
    this.#reading = undefined
    for (const client of this.#held ?? []) client.release()
    this.#held = undefined
    this.#beginWaiting(performance.now() + this.#partMs)
    if (this.#queues.size > 0 || this.#begun.size > 0) this.#setNext()
  }

  /** Begins waiting requests up to the maximum, one per world in rotation. */
  #beginWaiting(endMs: number): void {
    const next = this.#total < this.#turnMax && this.#takeNext()
    if (!next) return
    next.begin()
    // The request runs as microtasks; this callback runs after them.
    queueMicrotask(() =>
      process.nextTick(() => {
        if (performance.now() < endMs) this.#beginWaiting(endMs)
      }),
    )
  }

  /** The next waiting request: of `main`, else of each world in rotation. Undefined if each has begun its maximum. */
  #takeNext(): Waiting | undefined {
    const first = this.#takeOf(MAIN)
    if (first) return first
    for (const world of this.#queues.keys()) {
      const next = world === MAIN ? undefined : this.#takeOf(world)
      // Worlds rotate, so the worlds after one at its maximum have begun as many.
      if (next || (world !== MAIN && this.#queues.has(world))) return next
    }
    return undefined
  }

  /** The next request of a world, if the world may begin one; skips requests of disconnected clients. */
  #takeOf(world: string): Waiting | undefined {
    for (let queue = this.#queues.get(world); queue; queue = this.#queues.get(world)) {
      const first = firstOf(queue)
      const { isClosed } = first.client
      if (!isClosed && !this.#begin(world)) return undefined
      queue.shift()
      // The world is last in the rotation now.
      this.#queues.delete(world)
      if (queue.length > 0) this.#queues.set(world, queue)
      if (!isClosed) return first
      first.cancel(new ClientDisconnected())
    }
    return undefined
  }
}
