import { min, NO_QUANTITY } from '../amount.ts'
import type { Decider } from '../handlers.ts'
import type { Moment } from '../moment.ts'
import { ok } from '../result.ts'
import { settingsOf, type View } from '../state/state.ts'
import type { WorldSettings } from '../world.ts'
import { confirmCancel, expireOrder } from './cancel.ts'
import type { OrderEvent } from './events.ts'
import { isWholeFill, withConsequences } from './groups.ts'
import { classOf } from './matching/book.ts'
import { Filler, priceFor, quantityAt, remainingSize } from './matching/fill.ts'
import type { Order } from './order.ts'
import { arrival, tradesAt } from './session.ts'
import { dayStep } from './venue/day.ts'
import { drawBelow, latencyOf } from './venue/draw.ts'
import { fillModelOf } from './venue/fill-model.ts'
import { confirmReplacement } from './venue/replacements.ts'
import { stepAt, venueStepOf } from './venue/steps.ts'

/**
 * Moves an order one step: a queued order is released, a released one starts working. An order that expired
 * meanwhile, because the server was down, ends. The market also decides here on a requested cancel or replacement.
 */
export const workOrder: Decider<'workOrder'> = (view, moment, { orderId }) => {
  const order = view.orders.get(orderId)
  const { at } = moment
  if (!order || stepAt(order) === undefined) return ok([])
  if (at >= order.expiresAt) return expireOrder(view, moment, { kind: 'expireOrder', orderId })
  const step = order.venue ? venueStepOf(order)?.step : 'arrive'
  if (step === 'replace') return ok(confirmReplacement(view, moment, order))
  if (step === 'confirmCancel') return ok(confirmCancel(view, moment, order))
  if (step !== undefined && step !== 'arrive') return ok([dayStep(moment, order, step)])
  if (order.status === 'accepted') return ok([released(settingsOf(view), moment, order)])
  const rejected = rejectionOf(settingsOf(view), moment, order)
  if (rejected) return ok(withConsequences(view, moment, [rejected]))
  const worked = { kind: 'orderAcknowledged', at, accountId: order.accountId, orderId } as const
  if (isImmediate(order)) return ok([worked, ...fillImmediately(view, moment, order)])
  return ok(order.group ? withConsequences(view, moment, [worked]) : [worked])
}

function released(settings: WorldSettings, moment: Moment, order: Order): OrderEvent {
  const { accountId, id: orderId } = order
  const due = arrival(settings, order, moment.at, latencyOf(settings, moment, orderId))
  return { kind: 'orderReleased', at: moment.at, accountId, orderId, due }
}

/** The market rejects a share of the orders that reach it, if the settings of the world say so. */
function rejectionOf({ venue }: WorldSettings, moment: Moment, order: Order): OrderEvent | undefined {
  const { accountId, id: orderId, status } = order
  const drawn = status === 'pendingNew' && drawBelow(moment, orderId, 'reject', venue?.rejectShare)
  return drawn
    ? { kind: 'orderRejected', at: moment.at, accountId, orderId, why: 'market', ...drawn }
    : undefined
}

/** Orders that fill immediately, completely or partially, and never wait. */
export const isImmediate = ({ timeInForce }: Pick<Order, 'timeInForce'>): boolean =>
  timeInForce === 'ioc' || timeInForce === 'fok'

/**
 * Fills an immediate order from the current quote, and cancels the rest (FOK: all, unless completely filled).
 */
export function fillImmediately(view: View, moment: Moment, order: Order): readonly OrderEvent[] {
  const { accountId, id: orderId } = order
  const fill = firstFill(view, moment, order)
  if (fill && isWholeFill(order, fill)) return [fill]
  const canceled = { kind: 'orderCanceled', at: moment.at, accountId, orderId, why: 'unfilled' } as const
  return fill ? [fill, canceled] : [canceled]
}

function firstFill(view: View, moment: Moment, order: Order) {
  const { symbol, side, limit } = order
  const quote = moment.prices.quote(symbol)
  if (!quote || !tradesAt(settingsOf(view), classOf(order), moment.at)) return undefined
  const price = priceFor(side, quote)
  if (limit !== undefined && (side === 'buy' ? price > limit : price < limit)) return undefined
  const wanted = quantityAt(order, price)
  const displayed = remainingSize(view, symbol, side, quote)
  const quantity = displayed === 'unlimited' ? wanted : min(wanted, displayed)
  if (quantity === NO_QUANTITY) return undefined
  const filler = new Filler(view, moment, quote)
  const model = fillModelOf(view, moment, { symbol, quote, filler })
  const fill = model ? model.fill(order, quantity, price) : filler.fill(order, quantity)
  return fill && order.timeInForce === 'fok' && fill.quantity < wanted ? undefined : fill
}
