import { apply, emptyState, forget, type Order, type State } from '@quipu/core'
import type { Entry } from '../journal/journal.ts'
import { eventOf } from '../stored-event.ts'

/** What a batch of events changed: one final row per order, whatever happened to it in between. */
export type Changes = { readonly seq: number; readonly orders: readonly Order[] }

/**
 * The views' own replica of the state, fed from the journal. It is what rows are made of and what snapshots are
 * taken from; the engine's state is never looked at.
 */
export class Projection {
  readonly #state: State

  constructor(state: State = emptyState()) {
    this.#state = state
  }

  get state(): State {
    return this.#state
  }

  /** Takes a batch in and lets go of what it closed, since the caller is about to write it. */
  take(entries: readonly Entry[]): Changes {
    const touched = new Set<Order['id']>()
    for (const entry of entries) {
      const event = eventOf(entry)
      apply(this.#state, event)
      if (event.kind === 'orderAccepted') touched.add(event.order.id)
      else if ('orderId' in event) touched.add(event.orderId)
    }
    const orders = [...touched].map((id) => this.#state.orders.get(id)!)
    forget(this.#state, this.#state.seq)
    return { seq: this.#state.seq, orders }
  }
}
