import type { Move } from '@quipu/broker/registry/advance.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf } from '@quipu/contract'
import {
  type AgendaItem,
  CLOCK_END,
  DAY,
  formatInstant,
  type Instant,
  isMarketOpen,
  isOpen,
  itemsAt,
  later,
  MINUTE,
  marketEventBegins,
  marketEventEnds,
  min,
  minuteOf,
  missing,
  nextCloseAfter,
  nextOpenAfter,
  type OrderId,
  openCount,
  remainingMarketEvents,
  settingsOf,
  type View,
} from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'

type Body = InputOf<'advanceClock'>['body']

/** The move that the body of an advance requests. */
export async function moveOf(world: World, body: Body, maxDays: number): Promise<Move> {
  const { by, to, until, within, order_id } = body
  const from = world.engine.latest
  const aim = by === undefined ? (to?.nanos ?? aimOf(world, until)) : later(from, by)
  if (aim !== undefined) return { to: checked(world, aim, maxDays), until, isAim: true }
  const longest = min(later(from, BigInt(maxDays) * DAY), CLOCK_END)
  const limit = within === undefined ? longest : checked(world, later(from, within), maxDays)
  if (until === 'next_event') return nextEvent(world, limit)
  const isReached =
    until === 'idle' ? () => isIdle(world.view) : await orderEnd(world, order_id ?? missing('order_id'))
  return { to: limit, until, isReached, isAim: false }
}

/** An instant that the clock may move to. */
export function checked(world: World, to: Instant, maxDays: number): Instant {
  const from = world.engine.latest
  if (to < from) throw refuse({ code: 'instantInPast', now: formatInstant(from), to: formatInstant(to) })
  if (to - from > BigInt(maxDays) * DAY) throw refuse({ code: 'advanceTooLong', limit: `${maxDays}d` })
  if (to > CLOCK_END) throw clockEnd()
  return to
}

export const clockEnd = () => refuse({ code: 'clockEndReached', end: formatInstant(CLOCK_END) })

/** The instant of an `until` that the calendar determines. */
function aimOf(world: World, until: Body['until']): Instant | undefined {
  const from = world.engine.latest
  switch (until) {
    case 'next_open':
      return nextOpenAfter(from)
    case 'next_close':
      return nextCloseAfter(from)
    case 'next_bar': {
      const hasBars = settingsOf(world.view).hours === 'always' || isMarketOpen(from)
      return later(hasBars ? minuteOf(from) : nextOpenAfter(from), MINUTE)
    }
    case 'next_event':
    case 'order_end':
    case 'idle':
    case undefined:
      return undefined
  }
}

/** Until the journal gets an event, or a market event begins or ends. */
function nextEvent(world: World, limit: Instant): Move {
  const from = world.engine.latest
  const { view } = world
  let to = limit
  let isAim = false
  for (const { event } of remainingMarketEvents(view.settings?.marketEvents, view))
    for (const at of [marketEventBegins(event), marketEventEnds(event)])
      if (at !== undefined && at > from && at <= to) {
        to = at
        isAim = true
      }
  // Counted from the first call, because the world is idle then.
  let seq: number | undefined
  const isReached = (): boolean => {
    seq ??= world.view.seq
    return world.view.seq > seq
  }
  return { to, until: 'next_event', isReached, isAim }
}

/** Whether an order has ended. Memory releases only orders that have ended. */
async function orderEnd(world: World, orderId: OrderId): Promise<() => boolean> {
  if (!world.view.orders.has(orderId) && !(await isArchived(world, orderId)))
    throw refuse({ code: 'orderNotFound', id: orderId })
  return () => {
    const order = world.view.orders.get(orderId)
    return order === undefined || !isOpen(order)
  }
}

async function isArchived({ view, storage }: World, orderId: OrderId): Promise<boolean> {
  for (const accountId of view.accountsWithDroppedOrders)
    if (await storage.queryTables.order(accountId, orderId)) return true
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
  return view.agenda.dues.every((due) =>
    [...itemsAt(view.agenda, due)].every(({ kind }) => BACKGROUND.has(kind)),
  )
}
