import { add } from '../../amount.ts'
import { definedFields } from '../../defined-fields.ts'
import type { Instant } from '../../time.ts'
import type { VenueEvent } from '../events.ts'
import type { AtVenue, Order } from '../order.ts'
import { isBeforeMarket, statusAfter } from '../transitions.ts'

/** The record of an order after an event that only venue settings cause. */
export function venueRecordAfter(before: Order, event: VenueEvent): Order {
  const { at } = event
  const { status } = before
  switch (event.kind) {
    case 'orderRejected':
      return { ...before, status: statusAfter(status, 'reject'), updatedAt: at, failedAt: at }
    case 'orderCancelRequested': {
      const { confirmAt } = event
      const unacknowledged = isBeforeMarket(before) || undefined
      const after = { ...before, status: statusAfter(status, 'requestCancel'), updatedAt: at }
      return withVenue(after, { confirmAt, unacknowledged })
    }
    case 'orderReplaceRequested': {
      const { by: replacedBy, reserve, quantity } = event
      const total = add(before.filledQuantity, quantity)
      const after = { ...before, status: statusAfter(status, 'requestReplace'), updatedAt: at }
      return withVenue(after, { replacedBy, reserve, total })
    }
    case 'orderDoneForDay': {
      const after = { ...before, status: statusAfter(status, 'endDay'), updatedAt: at }
      return withVenue(after, { doneAt: undefined, resumesAt: event.resumesAt })
    }
    case 'orderRequeued':
      return withVenue(before, { restsUntil: undefined })
    case 'orderCancelRejected':
    case 'orderReplaceRejected':
    case 'orderResumed':
      return restored(before, at)
  }
}

/** The order before the requested cancel or replacement, or before the end of its day, with its fills since. */
function restored(order: Order, at: Instant): Order {
  const move = order.venue?.unacknowledged
    ? 'restorePending'
    : order.filledQuantity === 0n
      ? 'restoreNew'
      : 'restorePart'
  const status = statusAfter(order.status, move)
  return withVenue({ ...order, status, updatedAt: at }, NOTHING_PENDING)
}

const NOTHING_PENDING = {
  confirmAt: undefined,
  unacknowledged: undefined,
  replacedBy: undefined,
  reserve: undefined,
  total: undefined,
  resumesAt: undefined,
}

type Changes = { readonly [Name in keyof AtVenue]?: AtVenue[Name] | undefined }

/** Changes the venue state of an order. Absent fields have no key, and an empty state is absent. */
export function withVenue({ venue: before, ...order }: Order, changes: Changes): Order {
  const venue = definedFields({ ...before, ...changes })
  return Object.keys(venue).length === 0 ? order : { ...order, venue }
}
