import type { Instant } from '../../time.ts'
import type { Order } from '../order.ts'
import { isBeforeMarket, isWorking } from '../transitions.ts'

/**
 * The next step of an order, which the agenda holds:
 *
 *   arrive         the order leaves for the market, or reaches it
 *   confirmCancel  the market decides on a requested cancel
 *   replace        the market decides on the replacement of another order by this one
 *   endDay         the market stops working the order for the rest of the session
 *   resume         the market works the order again
 *   requeue        the order can fill again after a piece of it filled
 */
export type VenueStep = 'arrive' | 'confirmCancel' | 'replace' | 'endDay' | 'resume' | 'requeue'

/** The time of the next step; undefined if the order has none. */
export function stepAt(order: Order): Instant | undefined {
  if (order.venue) return venueStepOf(order)?.at
  return isBeforeMarket(order) ? order.dueAt : undefined
}

/** The next step of an order with venue state. Of steps at one time, the arrival comes first. */
export function venueStepOf(order: Order): { readonly step: VenueStep; readonly at: Instant } | undefined {
  const { status, venue = {}, dueAt } = order
  let next: { readonly step: VenueStep; readonly at: Instant } | undefined
  const add = (step: VenueStep, at: Instant | undefined): void => {
    if (at !== undefined && (next === undefined || at < next.at)) next = { step, at }
  }
  if (isBeforeMarket(order)) add(venue.awaits ? 'replace' : 'arrive', dueAt)
  if (status === 'pendingCancel') add('confirmCancel', venue.confirmAt)
  if (isWorking(order)) add('requeue', venue.restsUntil)
  if (status === 'new' || status === 'partiallyFilled') add('endDay', venue.doneAt)
  if (status === 'doneForDay') add('resume', venue.resumesAt)
  return next
}
