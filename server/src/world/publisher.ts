import type { Committed } from '../journal/committed.ts'
import type { Trail } from './refused-commands.ts'

export type Listener = (events: readonly Committed[]) => void

/** Someone who carries on to clients what happens in a world. */
export type Carrier = {
  /** Resolves when all that has happened so far has left. */
  carried(): Promise<void>
  /** The world is closed. */
  ended(): void
}

/**
 * Publishes each durable event of a world once, whichever incarnation of the world stored it. After a sync with an
 * unknown outcome, the next incarnation finds out which events are durable and publishes those after `upTo`.
 */
export class Publisher {
  readonly #trail: Trail
  readonly #listeners = new Set<Listener>()
  readonly #carriers = new Set<Carrier>()
  #upTo: number | undefined

  constructor(trail: Trail) {
    this.#trail = trail
  }

  /** The number of the last published event; undefined before the first incarnation. */
  get upTo(): number | undefined {
    return this.#upTo
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  attach(carrier: Carrier): () => void {
    this.#carriers.add(carrier)
    return () => this.#carriers.delete(carrier)
  }

  /** An incarnation starts: its journal ends with event `head`, and these events were not published before. */
  resume(head: number, unpublished: readonly Committed[]): void {
    this.#upTo ??= head
    if (unpublished.length > 0) this.publish(unpublished)
  }

  publish(events: readonly Committed[]): void {
    this.#upTo = events.at(-1)!.seq
    this.#trail.noteEvents(events)
    for (const listener of this.#listeners) listener(events)
  }

  /** Resolves when every carrier has carried everything. */
  async carried(): Promise<void> {
    for (const carrier of this.#carriers) await carrier.carried()
  }

  end(): void {
    for (const carrier of this.#carriers) carrier.ended()
  }
}
