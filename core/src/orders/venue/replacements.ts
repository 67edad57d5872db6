import { replacementOf } from '../../account/holds.ts'
import type { OrderId } from '../../ids.ts'
import type { Moment } from '../../moment.ts'
import { settingsOf, type View } from '../../state/state.ts'
import { type Instant, later } from '../../time.ts'
import type { WorldSettings } from '../../world.ts'
import type { OrderAccepted, OrderEvent, OrderRejected, OrderReplaceRejected } from '../events.ts'
import type { Order } from '../order.ts'
import { drawBelow, drawDelay } from './draw.ts'

/**
 * Adds the ends of pending replacements to a decision. If the old order is filled or ends otherwise, its
 * replacement is rejected before that, and the new order after it. If the new order ends, the old one stays.
 */
export function withReplacementEnds<Event extends OrderEvent>(
  view: View,
  events: readonly Event[],
): readonly (Event | OrderEvent)[] {
  let all: OrderEvent[] | undefined
  for (const [at, event] of events.entries()) {
    const pair = event.kind === 'orderAccepted' ? undefined : pairOf(view, event)
    if (!pair || !ends(event, pair.old)) {
      all?.push(event)
      continue
    }
    all ??= events.slice(0, at)
    const { rejected, newRejected } = rejectedReplacement(pair, event.at)
    all.push(rejected, event)
    if ('orderId' in event && event.orderId === pair.old.id) all.push(newRejected)
  }
  return all ?? events
}

/**
 * With venue settings for replacements, the market decides later on the replacement of a working order. The new
 * order exists from the request on and holds nothing until then. Members of a group are replaced at once.
 */
export function replaceRequested(
  { venue }: WorldSettings,
  moment: Moment,
  before: Order,
  after: Pick<OrderAccepted, 'order' | 'decidedWith'>,
): readonly OrderEvent[] | undefined {
  if (venue?.replaceLatency === undefined && venue?.replaceRejectShare === undefined) return undefined
  if (before.group || after.order.status !== 'pendingNew') return undefined
  const { id: by, quantity, reserve } = after.order
  const { accountId, id: orderId } = before
  const delay = venue.replaceLatency ? drawDelay(moment, by, 'replaceLatency', venue.replaceLatency) : 0n
  const dueAt = later(moment.at, delay)
  const order: Order = { ...after.order, dueAt, venue: { awaits: true } }
  const { at } = moment
  return [
    { kind: 'orderReplaceRequested', at, accountId, orderId, by, quantity, reserve },
    { kind: 'orderAccepted', at, accountId, order, decidedWith: after.decidedWith },
  ]
}

/** The market decides on a requested replacement. Fills since the request reduce the new order. */
export function confirmReplacement(view: View, moment: Moment, order: Order): readonly OrderEvent[] {
  const pair = replacementPair(view, order)
  if (!pair) throw new Error(`bug: ${order.id} replaces no order`)
  const { old, replacement } = pair
  const { at } = moment
  const { accountId, id: by } = replacement
  const share = settingsOf(view).venue?.replaceRejectShare
  const drawn = drawBelow(moment, by, 'replaceReject', share)
  const quantity = replacementOf(old)
  if (drawn || quantity === 0n) {
    const { rejected, newRejected } = rejectedReplacement(pair, at)
    return [drawn ? { ...rejected, why: 'market', ...drawn } : rejected, newRejected]
  }
  const resized: OrderEvent[] =
    quantity === replacement.quantity ? [] : [{ kind: 'orderResized', at, accountId, orderId: by, quantity }]
  return [
    { kind: 'orderReplaced', at, accountId, orderId: old.id, by },
    ...resized,
    { kind: 'orderAcknowledged', at, accountId, orderId: by },
  ]
}

/** Whether a decision concerns a pending replacement. */
export const hasReplacement = ({ venue }: Order): boolean =>
  venue?.replacedBy !== undefined || venue?.awaits !== undefined

export type ReplacementPair = { readonly old: Order; readonly replacement: Order }

/** The two orders of a pending replacement. */
export function replacementPair(view: View, order: Order): ReplacementPair | undefined {
  const { replaces, venue } = order
  const otherOf = (id: OrderId | undefined): Order => {
    const other = id && view.orders.get(id)
    if (!other) throw new Error(`bug: ${order.id} has only one order of its replacement`)
    return other
  }
  if (venue?.awaits) return { old: otherOf(replaces), replacement: order }
  return venue?.replacedBy === undefined ? undefined : { old: order, replacement: otherOf(venue.replacedBy) }
}

/** The replacement did not take place, because one of its orders ended. */
export function rejectedReplacement(
  { old, replacement }: ReplacementPair,
  at: Instant,
): { readonly rejected: OrderReplaceRejected; readonly newRejected: OrderRejected } {
  const { accountId } = old
  return {
    rejected: {
      kind: 'orderReplaceRejected',
      at,
      accountId,
      orderId: old.id,
      by: replacement.id,
      why: 'ended',
    },
    newRejected: { kind: 'orderRejected', at, accountId, orderId: replacement.id, why: 'replacement' },
  }
}

const pairOf = (view: View, { orderId }: Exclude<OrderEvent, { kind: 'orderAccepted' }>) => {
  const order = view.orders.get(orderId)
  return order && replacementPair(view, order)
}

function ends(event: OrderEvent, old: Order): boolean {
  if (event.kind === 'orderFilled') return event.quantity === old.quantity - old.filledQuantity
  return event.kind === 'orderCanceled' || event.kind === 'orderExpired'
}
