import { computed, signal } from '@preact/signals'
import type { WireOrder as Order } from '@quipu/sdk'

/** An order that changed or ended. */
export type OrderChange = { readonly order: Order }

/** Something that follows the orders of an account. */
type OrderFollower = {
  /** The orders that changed. */
  take(updates: readonly OrderChange[]): void
  /** Changes may have been missed, because the stream has opened just now. */
  readAgain(): void
}

/** The order changes of an account, and whether its numbers are live. The store feeds it. */
export class OrderStream {
  readonly state = signal<'connecting' | 'open'>('connecting')
  /** When the numbers became stale, by the machine's clock; undefined while they are live. */
  readonly staleSince = signal<number | undefined>(undefined)
  readonly isStale = computed(() => this.staleSince.value !== undefined)
  readonly #followers = new Set<OrderFollower>()

  /** Sends changes to a follower, until the returned function ends it. */
  follow(follower: OrderFollower): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  take(changes: readonly OrderChange[]): void {
    for (const follower of this.#followers) follower.take(changes)
  }

  readAgain(): void {
    for (const follower of this.#followers) follower.readAgain()
  }

  live(): void {
    this.state.value = 'open'
    this.staleSince.value = undefined
  }

  broken(): void {
    this.state.value = 'connecting'
    this.staleSince.value ??= Date.now()
  }
}
