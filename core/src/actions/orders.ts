import { add, isWhole, max, type Price, subtract } from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import { assetIdOf } from '../market/assets/assets.ts'
import { roundToTick } from '../market/tick.ts'
import type { Moment } from '../moment.ts'
import type { OrderCanceled, OrderEvent, OrderRestated } from '../orders/events.ts'
import { consequencesOf } from '../orders/groups.ts'
import { openOrdersOf } from '../orders/open-orders.ts'
import { type Order, remaining, type Trigger } from '../orders/order.ts'
import { rejectedReplacement, replacementPair } from '../orders/venue/replacements.ts'
import { found } from '../result.ts'
import type { View } from '../state/state.ts'
import {
  type CorporateAction,
  type Dividend,
  isReverse,
  priceAfter,
  type Split,
  sharesAfter,
  wholeOf,
} from './action.ts'

/**
 * The effect of an action on open orders of its symbol:
 *
 *   forward split   remaining quantity and prices are scaled; whole orders stay whole
 *   reverse split   all are canceled
 *   dividend        GTC buy limits and sell stops are lowered by the rate
 *   symbol change   all continue under the new symbol
 *   delisting       all are canceled
 *
 * Prices are rounded so that no order trades where it would not have traded before: buy limits down, sell
 * limits up, and stops away from the market.
 */
export function orderChanges(view: View, moment: Moment, action: CorporateAction): readonly OrderEvent[] {
  const cancels: OrderCanceled[] = []
  const restated: OrderRestated[] = []
  const pending: OrderEvent[] = []
  for (const order of openOrdersIn(view, action.symbol)) {
    // A pending replacement is rejected, because its numbers are from before the action.
    if (order.venue?.awaits) {
      const { rejected, newRejected } = rejectedReplacement(
        found(replacementPair(view, order), order.id),
        moment.at,
      )
      pending.push(rejected, newRejected)
      continue
    }
    const common = { at: moment.at, accountId: order.accountId, orderId: order.id }
    const changes = changesOf(action, order)
    if (changes === 'cancel') cancels.push({ kind: 'orderCanceled', ...common, why: 'action' })
    else if (changes) restated.push({ kind: 'orderRestated', ...common, actionId: action.id, changes })
  }
  if (cancels.length === 0) return [...pending, ...restated]
  const ended = new Set(cancels.map(({ orderId }) => orderId))
  const others = consequencesOf(view, moment, cancels)
  for (const event of others) if ('orderId' in event) ended.add(event.orderId)
  return [...pending, ...cancels, ...others, ...restated.filter(({ orderId }) => !ended.has(orderId))]
}

type Changes = OrderRestated['changes']

function* openOrdersIn(view: View, symbol: Order['symbol']): Generator<Order> {
  for (const accountId of view.clientOrderIds.keys())
    for (const order of openOrdersOf(view, accountId)) if (order.symbol === symbol) yield order
}

function changesOf(action: CorporateAction, order: Order): Changes | 'cancel' | undefined {
  switch (action.kind) {
    case 'split':
      return isReverse(action) ? 'cancel' : split(action, order)
    case 'dividend':
      return loweredByDividend(action, order)
    case 'symbolChange':
      return { symbol: action.newSymbol, assetId: assetIdOf(action.newSymbol) }
    case 'delisting':
      return 'cancel'
  }
}

function split(action: Split, order: Order): Changes {
  const { limit, trigger, reserve } = order
  const left = remaining(order)
  const exact = sharesAfter(action, left)
  const scaled = (price: Price, rounding: 'up' | 'down'): Price =>
    roundToTick(priceAfter(action, price, rounding), rounding)
  const after = limit === undefined ? undefined : scaled(limit, limitRounding(order))
  return {
    quantity: add(order.filledQuantity, isWhole(left) ? wholeOf(exact) : exact),
    ...definedFields({
      limit: after,
      trigger: trigger && triggerAfter(trigger, (price) => scaled(price, stopRounding(order)), action),
    }),
    reserve: after !== undefined && reserve === limit ? after : priceAfter(action, reserve, 'up'),
  }
}

function triggerAfter(
  trigger: Trigger,
  scaled: (price: Price) => Price,
  action: Split,
): NonNullable<Changes['trigger']> {
  const { stop, highWater, trailPrice } = trigger
  return {
    stop: scaled(stop),
    ...definedFields({
      highWater: highWater === undefined ? undefined : scaled(highWater),
      trailPrice:
        trailPrice === undefined ? undefined : roundToTick(priceAfter(action, trailPrice, 'up'), 'up'),
    }),
  }
}

/** A price drop caused only by the dividend must not fill a buy limit or trigger a sell stop. */
function loweredByDividend({ rate }: Dividend, order: Order): Changes | 'cancel' | undefined {
  const { limit, trigger, side, timeInForce, reserve } = order
  const isAffected = side === 'buy' ? limit !== undefined && !trigger : trigger !== undefined
  if (timeInForce !== 'gtc' || !isAffected) return undefined
  if (trigger?.electedAt !== undefined) return undefined
  const less = (price: Price, rounding: 'up' | 'down'): Price => roundToTick(subtract(price, rate), rounding)
  const prices = [limit, trigger?.stop].filter((price) => price !== undefined)
  if (prices.some((price) => price <= rate)) return 'cancel'
  const after = limit === undefined ? undefined : less(limit, 'down')
  return definedFields({
    limit: after,
    trigger: trigger && loweredTrigger(trigger, (price) => less(price, 'down')),
    reserve: reserve === limit ? after : undefined,
  })
}

function loweredTrigger(trigger: Trigger, lowered: (price: Price) => Price): NonNullable<Changes['trigger']> {
  const stop = lowered(trigger.stop)
  const { highWater } = trigger
  return highWater === undefined ? { stop } : { stop, highWater: max(lowered(highWater), stop) }
}

const limitRounding = ({ side }: Order): 'up' | 'down' => (side === 'buy' ? 'down' : 'up')
const stopRounding = ({ side }: Order): 'up' | 'down' => (side === 'buy' ? 'up' : 'down')
