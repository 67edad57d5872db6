import { computed, signal } from '@preact/signals'
import type { StreamState, TradeUpdate } from '@quipu/sdk'
import type { Connection } from '../session/connections.ts'
import { collect } from './frames.ts'
import { REOPEN_MS } from './repeat.ts'

/** Something that follows the orders of an account. */
type OrderFollower = {
  /** The order updates of each frame. */
  take(updates: readonly TradeUpdate[]): void
  /** Updates may have been missed, because the stream has opened just now. */
  readAgain(): void
}

/** The stream of the order updates of one account, and whether it is open. */
export class OrderStream {
  readonly state = signal<StreamState>('connecting')
  /** When the numbers became stale, by the machine's clock; undefined while the stream is open. */
  readonly staleSince = signal<number | undefined>(undefined)
  readonly isStale = computed(() => this.staleSince.value !== undefined)
  readonly #connection: Connection
  readonly #followers = new Set<OrderFollower>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Follows the stream until `closing`. A stream ends for good when its token is refused, as after a restart of the
   * server. Then a new one follows.
   */
  open(closing: AbortSignal, fail: (error: Error) => void): void {
    if (closing.aborted) return
    const stream = this.#connection.quipu.streams.tradeUpdates()
    const close = () => stream.close()
    closing.addEventListener('abort', close)
    stream.onMessage(
      collect((updates) => {
        for (const follower of this.#followers) follower.take(updates)
      }),
    )
    stream.onState((state) => {
      this.#takeState(state)
      if (state !== 'closed' || closing.aborted) return
      closing.removeEventListener('abort', close)
      this.#connection.renew()
      setTimeout(() => this.open(closing, fail), REOPEN_MS)
    })
    stream.onGap(() => this.#readAgain())
    stream.subscribe().then(() => this.#readAgain(), fail)
  }

  /** Sends updates to a follower, until the returned function ends it. */
  follow(follower: OrderFollower): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  #readAgain(): void {
    for (const follower of this.#followers) follower.readAgain()
  }

  #takeState(state: StreamState): void {
    this.state.value = state
    if (state === 'open') this.staleSince.value = undefined
    else this.staleSince.value ??= Date.now()
  }
}
