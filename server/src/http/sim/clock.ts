import type { InputOf, OutputOf } from '@quipu/contract'
import {
  type AgendaItem,
  CLOCK_END,
  DAY,
  formatInstant,
  type Instant,
  isOpen,
  min,
  nextCloseAfter,
  nextOpenAfter,
  type OrderId,
  openCount,
  type View,
} from '@quipu/core'
import type { VirtualClock } from '../../clock/virtual.ts'
import type { Committed } from '../../journal/committed.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Answer } from '../../world/engine.ts'
import type { World } from '../../world/world.ts'
import type { WorldEntry, Worlds } from '../../worlds/worlds.ts'
import type { SomeHandlers } from '../context.ts'
import { entryOf } from './world-named.ts'
import { clockToWire } from './world-wire.ts'

export const clockHandlers = (worlds: Worlds, advanceMaxDays: number) =>
  ({
    getWorldClock: ({ params }, context) => clockToWire(entryOf(worlds, params.world, context)),

    async freezeClock({ params }, context) {
      const entry = entryOf(worlds, params.world, context)
      await virtualClock(entry).freeze()
      return clockToWire(entry)
    },

    runClock({ params, body }, context) {
      const entry = entryOf(worlds, params.world, context)
      const clock = virtualClock(entry)
      if (entry.world.latest >= CLOCK_END) throw clockEnd()
      clock.run(Number(body.speed))
      return clockToWire(entry)
    },

    async advanceClock({ params, body }, context) {
      const entry = entryOf(worlds, params.world, context)
      const clock = virtualClock(entry)
      const move = await moveOf(entry.world, body, advanceMaxDays)
      return context.resultOf(entry.world, advance(entry.world, clock, move))
    },

    async setClock({ params, body }, context) {
      const entry = entryOf(worlds, params.world, context)
      const clock = virtualClock(entry)
      const move = { to: checked(entry.world, body.to.nanos as Instant, advanceMaxDays) }
      await clock.freeze()
      return context.resultOf(entry.world, advance(entry.world, clock, move))
    },
  }) satisfies SomeHandlers

function virtualClock({ clock }: WorldEntry): VirtualClock {
  if (!clock) throw refuse({ code: 'mainClockNotAdjustable' })
  return clock
}

/** A move of the clock: to an instant, or until a condition holds, at that instant at the latest. */
type Move = { readonly to: Instant; readonly isReached?: () => boolean }

async function moveOf(
  world: World,
  { by, to, until, order_id, within }: InputOf<'advanceClock'>['body'],
  maxDays: number,
): Promise<Move> {
  const from = world.latest
  if (by !== undefined) return { to: checked(world, (from + by) as Instant, maxDays) }
  if (to !== undefined) return { to: checked(world, to.nanos as Instant, maxDays) }
  if (until === 'next_open') return { to: checked(world, nextOpenAfter(from), maxDays) }
  if (until === 'next_close') return { to: checked(world, nextCloseAfter(from), maxDays) }
  const longest = min((from + BigInt(maxDays) * DAY) as Instant, CLOCK_END)
  const limit = within === undefined ? longest : checked(world, (from + within) as Instant, maxDays)
  const isReached = until === 'idle' ? () => isIdle(world.view) : await orderEnd(world, order_id as OrderId)
  return { to: limit, isReached }
}

/** An instant that the clock may move to. */
function checked(world: World, to: Instant, maxDays: number): Instant {
  const from = world.latest
  if (to < from) throw refuse({ code: 'instantInPast', now: formatInstant(from), to: formatInstant(to) })
  if (to - from > BigInt(maxDays) * DAY) throw refuse({ code: 'advanceTooLong', limit: `${maxDays}d` })
  if (to > CLOCK_END) throw clockEnd()
  return to
}

const clockEnd = () => refuse({ code: 'clockEndReached', end: formatInstant(CLOCK_END) })

/** Whether an order has ended. Memory releases only orders that have ended. */
async function orderEnd(world: World, orderId: OrderId): Promise<() => boolean> {
  if (!world.view.orders.has(orderId) && !(await isArchived(world, orderId)))
    throw refuse({ code: 'orderNotFound', id: orderId })
  return () => {
    const order = world.view.orders.get(orderId)
    return order === undefined || !isOpen(order)
  }
}

async function isArchived({ view, views }: World, orderId: OrderId): Promise<boolean> {
  for (const accountId of view.accountsWithDroppedOrders)
    if (await views.order(accountId, orderId)) return true
  return false
}

/** Scheduled work that never keeps a world from being idle: it recurs, or was planned ahead by somebody. */
const BACKGROUND: ReadonlySet<AgendaItem['kind']> = new Set([
  'closeDay',
  'runAction',
  'expireToken',
  'expireKey',
])

/** Nothing is in progress: no open order, no job, no pending request, settlement or dividend. */
function isIdle(view: View): boolean {
  if (openCount(view) > 0) return false
  return view.agenda.slots.every(({ others, step, steps, expiries }) => {
    if (step || steps || expiries) return false
    return [...(others?.values() ?? [])].every(({ kind }) => BACKGROUND.has(kind))
  })
}

/** Advances the clock and counts what happened; resolves when all events are durable and sent. */
async function advance(
  world: World,
  clock: VirtualClock,
  { to, isReached }: Move,
): Promise<Answer<OutputOf<'advanceClock'>>> {
  const from = world.latest
  const counts = new Counts()
  const stop = world.listen((committed) => counts.add(committed))
  try {
    await clock.advance(to, isReached)
  } finally {
    stop()
  }
  return world.read(({ seq }) => ({
    world: world.id,
    from: formatInstant(from),
    now: formatInstant(world.latest),
    frozen: clock.speed === 0,
    seq,
    events: counts.events,
    orders_ended: counts.ended,
    reached: isReached?.() ?? true,
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
