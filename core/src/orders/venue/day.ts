import { isPair } from '../../market/assets/asset.ts'
import { nextSession } from '../../market/calendar.ts'
import type { Moment } from '../../moment.ts'
import type { Instant } from '../../time.ts'
import type { WorldSettings } from '../../world.ts'
import type { OrderEvent } from '../events.ts'
import type { Order } from '../order.ts'
import { isForAuction, nextClose } from '../session.ts'
import { drawBelow, drawFrom } from './draw.ts'
import type { VenueStep } from './steps.ts'

/**
 * The time at which the market stops working an order for the rest of the session: a seeded time between its
 * arrival and the close. Only for single orders for shares that wait in the market.
 */
function doneAtOf({ venue }: WorldSettings, moment: Moment, order: Order): Instant | undefined {
  const { id, timeInForce, symbol, dueAt } = order
  if (venue?.doneForDayShare === undefined || order.group || isPair(symbol)) return undefined
  if (isForAuction(order) || timeInForce === 'ioc' || timeInForce === 'fok') return undefined
  if (!drawBelow(moment, id, 'doneForDay', venue.doneForDayShare)) return undefined
  return drawFrom(moment, id, 'doneAt', [dueAt, nextClose(dueAt).close])
}

/** The order with that time, if the draw says so. */
export function withDoneAt(settings: WorldSettings, moment: Moment, order: Order): Order {
  const doneAt = doneAtOf(settings, moment, order)
  return doneAt === undefined ? order : { ...order, venue: { ...order.venue, doneAt } }
}

/** The market stops working an order, works it again, or lets it fill again. */
export function dayStep({ at }: Moment, order: Order, step: Exclude<VenueStep, 'arrive'>): OrderEvent {
  const common = { at, accountId: order.accountId, orderId: order.id }
  if (step === 'resume') return { kind: 'orderResumed', ...common }
  if (step === 'requeue') return { kind: 'orderRequeued', ...common }
  const resumesAt = nextSession(nextClose(at).date).preOpen
  // A day order expires with its session.
  return { kind: 'orderDoneForDay', ...common, ...(resumesAt < order.expiresAt && { resumesAt }) }
}
