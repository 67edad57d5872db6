import type { Committed } from '../journal/committed.ts'
import type { RequestOutcomes } from './request-outcomes.ts'

export type Listener = (events: readonly Committed[]) => void

/** Forwards the events of a world to clients. */
export type Forwarder = {
  /** Resolves when all events so far were sent. */
  flushed(): Promise<void>
  /** The world is closed. */
  closed(): void
}

/**
 * Publishes each durable event of a world once, whichever incarnation of the world stored it. After a sync with an
 * unknown outcome, the next incarnation finds out which events are durable and publishes those after `upTo`.
 */
export class Publisher {
  readonly #outcomes: RequestOutcomes
  readonly #listeners = new Set<Listener>()
  readonly #forwarders = new Set<Forwarder>()
  #upTo: number | undefined

  constructor(outcomes: RequestOutcomes) {
    this.#outcomes = outcomes
  }

  /** The number of the last published event; undefined before the first incarnation. */
  get upTo(): number | undefined {
    return this.#upTo
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  attach(forwarder: Forwarder): () => void {
    this.#forwarders.add(forwarder)
    return () => this.#forwarders.delete(forwarder)
  }

  /** An incarnation starts: its journal ends with event `head`, and these events were not published before. */
  resume(head: number, unpublished: readonly Committed[]): void {
    this.#upTo ??= head
    if (unpublished.length > 0) this.publish(unpublished)
  }

  publish(events: readonly Committed[]): void {
    this.#upTo = events.at(-1)!.seq
    this.#outcomes.addEvents(events)
    for (const listener of this.#listeners) listener(events)
  }

  /** Resolves when every forwarder has sent everything. */
  async flushed(): Promise<void> {
    for (const forwarder of this.#forwarders) await forwarder.flushed()
  }

  end(): void {
    for (const forwarder of this.#forwarders) forwarder.closed()
  }
}
