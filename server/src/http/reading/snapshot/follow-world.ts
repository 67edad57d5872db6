import type { Committed } from '@quipu/broker/journal/committed.ts'
import type { WorldEntry, Worlds } from '@quipu/broker/registry/worlds.ts'
import { SNAPSHOT_CHANGED_MAX, SNAPSHOT_ORDERS_MAX } from '@quipu/contract'
import { type AccountId, isOpen, type Order, type OrderId } from '@quipu/core'
import { isWanted, numberedCommitted, orderOf } from '../../../wire/numbered-event.ts'
import type { Captured } from './capture.ts'

/** A running clock changes prices all the time; people read no more often. */
const PAUSE_MS = 220
/** A reader that receives nothing for some of these knows that the server has stalled. */
export const HEARTBEAT_MS = 2_000

/** An order as an event left it, with the number of the event. */
type ChangedOrder = { readonly seq: number; readonly order: Order }

/** Waits for changes of one world while somebody follows it, and not more often than a person reads. */
export class WorldFollower {
  /** Called when the past of the account may have changed, as by a transfer or a market event. */
  readonly #pastChanged: () => void
  readonly #entry: WorldEntry
  readonly #detach: readonly (() => void)[]
  readonly #ended = new Map<OrderId, ChangedOrder>()
  /** Open orders that changed since they were taken. */
  readonly #open = new Map<OrderId, ChangedOrder>()
  #ending: 'deleted' | 'closed' | undefined
  #isChanged = false
  #wake: (() => void) | undefined

  constructor(worlds: Worlds, entry: WorldEntry, accountId: AccountId, pastChanged: () => void) {
    const { world } = entry
    this.#entry = entry
    this.#pastChanged = pastChanged
    this.#detach = [
      world.publisher.listen((events) => this.#take(events, accountId)),
      // A virtual clock does not wait for readers of a snapshot.
      world.publisher.attach({ flushed: async () => undefined, closed: () => this.#end('closed') }),
      worlds.changes.listen((change) => {
        if (change.world !== world.id) return
        if (change.kind === 'deleted') this.#end('deleted')
        else if (change.kind === 'released') this.#end('closed')
        else if (change.kind === 'world') this.#pastChanged()
        this.#changed()
      }),
    ]
  }

  /** Whether the world was deleted. Throws if it is not here any more. */
  get isOver(): boolean {
    if (this.#ending === 'closed') throw new Error('the world is closed')
    return this.#ending === 'deleted'
  }

  /** Resolves with true when something may have changed, and with false when a heartbeat is due. */
  async next(signal: AbortSignal): Promise<boolean> {
    const startMs = performance.now()
    // Prices of a wall clock move without a report.
    const limitMs = this.#entry.clock === undefined ? PAUSE_MS : HEARTBEAT_MS
    await this.#sleep(PAUSE_MS, signal, false)
    if (!this.#isChanged) await this.#sleep(limitMs - (performance.now() - startMs), signal, true)
    const isChanged = this.#isChanged || this.#entry.clock === undefined
    this.#isChanged = false
    return isChanged
  }

  /** The orders that ended with the events up to that of a capture, and were not taken yet: the newest. */
  endedOrders({ event }: Captured): readonly Order[] {
    return takeUpTo(this.#ended, event)
  }

  /** The open orders that changed up to a capture, were not taken yet, and are too old for its orders: the last changed. */
  olderOrders({ event, orders }: Captured): readonly Order[] {
    const changed = takeUpTo(this.#open, event)
    if (orders.length < SNAPSHOT_ORDERS_MAX) return []
    const newest = new Set(orders.map(({ id }) => id))
    return changed.filter(({ id }) => !newest.has(id)).slice(-SNAPSHOT_CHANGED_MAX)
  }

  close(): void {
    for (const detach of this.#detach) detach()
  }

  #take(events: readonly Committed[], accountId: AccountId): void {
    for (const one of events) {
      const { seq, order } = one
      const event = numberedCommitted(one)
      if (!isWanted(event, { accountId })) continue
      if (orderOf(event.event) === undefined) this.#pastChanged()
      if (order) this.#takeOrder({ seq, order })
    }
    for (const id of this.#ended.keys())
      if (this.#ended.size <= SNAPSHOT_CHANGED_MAX) break
      else this.#ended.delete(id)
    this.#changed()
  }

  #takeOrder(changed: ChangedOrder): void {
    const { id } = changed.order
    // The last changed is at the end.
    this.#open.delete(id)
    if (isOpen(changed.order)) this.#open.set(id, changed)
    else this.#ended.set(id, changed)
  }

  #changed(): void {
    this.#isChanged = true
    this.#wake?.()
  }

  #end(ending: 'deleted' | 'closed'): void {
    this.#ending ??= ending
    this.#changed()
  }

  /** Resolves after a time, at the end of the stream, or with the next change. */
  #sleep(ms: number, signal: AbortSignal, isWoken: boolean): Promise<void> {
    if (ms <= 0 || signal.aborted || this.#ending) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        this.#wake = undefined
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal.addEventListener('abort', end)
      if (isWoken) this.#wake = end
    })
  }
}

/** Removes the orders that events up to a number left, and returns them. */
function takeUpTo(orders: Map<OrderId, ChangedOrder>, event: number): readonly Order[] {
  const taken = [...orders.values()].filter(({ seq }) => seq <= event).map(({ order }) => order)
  for (const { id } of taken) orders.delete(id)
  return taken
}
