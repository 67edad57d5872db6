import { type Instant, isOpen } from '@quipu/core'
import type { Committed } from '../journal/committed.ts'
import type { DurableResponse } from '../world/submitted.ts'
import type { WorldEntry } from './world-entry.ts'

/** A move of the clock: to an instant, or until a condition holds, at that instant at the latest. */
export type Move = {
  readonly to: Instant
  /** The name of what the move waits for. */
  readonly until?: string | undefined
  readonly isReached?: () => boolean
  /** Whether `to` is the aim of the move, and not only its limit. */
  readonly isAim: boolean
}

export type AdvanceReport = {
  readonly from: Instant
  readonly now: Instant
  readonly isFrozen: boolean
  readonly seq: number
  /** The number of events by kind. */
  readonly events: Readonly<Record<string, number>>
  /** The number of orders that ended, by status. */
  readonly ordersEnded: Readonly<Record<string, number>>
  readonly isReached: boolean
  readonly isStopped: boolean
}

/** Advances the clock and counts what happened; resolves when all events are durable and sent. */
export async function advanceWorld(
  { world, clock }: Required<Pick<WorldEntry, 'world' | 'clock'>>,
  { to, until, isReached, isAim }: Move,
): Promise<DurableResponse<AdvanceReport>> {
  const from = world.engine.latest
  const counts = new Counts()
  const stop = world.publisher.listen((committed) => counts.add(committed))
  let isStopped: boolean
  try {
    isStopped = await clock.advance(to, { isReached, until })
  } finally {
    stop()
  }
  return world.engine.read(({ seq }) => ({
    from,
    now: world.engine.latest,
    isFrozen: clock.speed === 0,
    seq,
    events: counts.events,
    ordersEnded: counts.ended,
    isReached: isReached?.() === true || (isAim && clock.now() >= to),
    isStopped,
  }))
}

class Counts {
  readonly events: Record<string, number> = {}
  /** Orders that ended, by status. */
  readonly ended: Record<string, number> = {}

  add(committed: readonly Committed[]): void {
    for (const { event, order } of committed) {
      addOne(this.events, event.kind)
      if (order && !isOpen(order)) addOne(this.ended, order.status)
    }
  }
}

const addOne = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1
}
