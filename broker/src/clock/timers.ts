import type { Instant } from '@quipu/core'
import { itemAt } from '@quipu/core/values'
import type { Rank } from './clock.ts'

export type Timer = {
  readonly due: Instant
  readonly rank: number
  readonly number: number
  readonly run: () => void | Promise<void>
}

const ranks: Record<Rank, number> = { agenda: 0, auction: 1, trade: 2, market: 3, feed: 4, client: 5 }

/** Timers sorted by due time, then by rank, then in the order set. */
export class Timers {
  readonly #sorted: Timer[] = []
  #set = 0

  add(due: Instant, rank: Rank, run: Timer['run']): Timer {
    const timer: Timer = { due, rank: ranks[rank], number: ++this.#set, run }
    this.#sorted.splice(this.#indexOf(timer), 0, timer)
    return timer
  }

  remove(timer: Timer): void {
    const at = this.#indexOf(timer)
    if (this.#sorted[at] === timer) this.#sorted.splice(at, 1)
  }

  first(): Timer | undefined {
    return this.#sorted[0]
  }

  /** The timer after the first. */
  second(): Timer | undefined {
    return this.#sorted[1]
  }

  /** Whether the first timer is a timer of a client. */
  get isClientFirst(): boolean {
    return this.#sorted[0]?.rank === ranks.client
  }

  takeDue(now: Instant): Timer | undefined {
    const first = this.#sorted[0]
    return first && first.due <= now ? this.#sorted.shift() : undefined
  }

  clear(): void {
    this.#sorted.length = 0
  }

  #indexOf(timer: Timer): number {
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (isBefore(itemAt(this.#sorted, middle), timer)) low = middle + 1
      else high = middle
    }
    return low
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  if (a.due !== b.due) return a.due < b.due
  if (a.rank !== b.rank) return a.rank < b.rank
  return a.number < b.number
}
