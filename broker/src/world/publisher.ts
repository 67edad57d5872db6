import { lastOf } from '@quipu/core/values'
import type { Committed } from '../journal/committed.ts'
import type { ClientActivity, ClientWait } from './requests/client-requests.ts'
import type { RequestOutcomes } from './requests/request-outcomes.ts'

export type Listener = (events: readonly Committed[]) => void

/** How the clients of a wait showed that they are done. */
export type ClientsDone = {
  /** The number of clients that reported it themselves. */
  readonly exact: number
  /** The number of clients that only answered pings. */
  readonly bestEffort: number
}

/** Forwards the events of a world to clients. */
export type Forwarder = {
  /** The messages to and from clients. Absent: its clients are not awaited by a replay. */
  readonly activity?: ClientActivity
  /** Resolves when all events so far were sent. */
  flushed(): Promise<void>
  /** Resolves when the clients are done with all messages. */
  clientsDone?(wait: ClientWait): Promise<ClientsDone>
  /** The world is closed. */
  closed(): void
}

/** Why a world is closed here. `released`: another process may continue it. `stopped`: the server stops. */
export type WorldEnding = 'stopped' | 'released' | 'reset' | 'deleted'

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
    this.#upTo = lastOf(events).seq
    this.#outcomes.addEvents(events)
    for (const listener of this.#listeners) listener(events)
  }

  /** Resolves when every forwarder has sent everything. */
  async flushed(): Promise<void> {
    for (const forwarder of this.#forwarders) await forwarder.flushed()
  }

  /** The messages to and from clients. */
  get activity(): ClientActivity {
    const sum = { traders: 0, readers: 0 }
    for (const { activity } of this.#forwarders) {
      sum.traders += activity?.traders ?? 0
      sum.readers += activity?.readers ?? 0
    }
    return sum
  }

  /** Resolves when the clients of every forwarder are done. */
  async clientsDone(wait: ClientWait): Promise<ClientsDone> {
    let [exact, bestEffort] = [0, 0]
    for (const forwarder of this.#forwarders) {
      const done = await forwarder.clientsDone?.(wait)
      exact += done?.exact ?? 0
      bestEffort += done?.bestEffort ?? 0
    }
    return { exact, bestEffort }
  }

  end(): void {
    for (const forwarder of this.#forwarders) forwarder.closed()
  }
}
