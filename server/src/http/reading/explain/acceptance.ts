import {
  classOf,
  formatInstant,
  type Order,
  type OrderAccepted,
  type Quote,
  settingsOf,
  tradingSpan,
  type WorldSettings,
} from '@quipu/core'
import type { NumberedEvent } from '../../../wire/numbered-event.ts'
import { statuses } from '../../../wire/order-words.ts'
import { type ExplainedStep, type ExplainedWorld, type Numbers, stepOf } from './step.ts'
import { termsNumbers, termsOf } from './terms.ts'

type Accepted = NumberedEvent & { readonly event: OrderAccepted }

/** The steps of an acceptance: terms, session, market, buying power, expiry, trigger and group. */
export function acceptanceSteps(accepted: Accepted, world: ExplainedWorld): ExplainedStep[] {
  const { order } = accepted.event
  const settings = settingsOf(world.view)
  const { timeInForce, expiresAt, extendedHours } = order
  return [
    stepOf(accepted, 'placed', termsNumbers(termsOf(order))),
    sessionStep(accepted, settings),
    ...marketStep(accepted),
    ...buyingPowerStep(accepted, world),
    stepOf(accepted, 'timeInForce', {
      time_in_force: timeInForce,
      expires_at: formatInstant(expiresAt),
      extended_hours: extendedHours,
    }),
    ...triggerStep(accepted),
    ...groupSteps(accepted),
  ]
}

function sessionStep(accepted: Accepted, settings: WorldSettings): ExplainedStep {
  const { order, decidedWith } = accepted.event
  return stepOf(accepted, 'session', {
    hours: settings.hours,
    session: decidedWith.session,
    status: statuses[order.status],
    extended_hours: order.extendedHours,
    way: wayOf(order, settings),
    due_at: formatInstant(order.dueAt),
    trades_from: tradesFrom(order, settings),
  })
}

function wayOf({ status }: Order, { latencyNs, venue }: WorldSettings): string {
  if (status === 'held') return 'held'
  if (status === 'accepted') return 'queued'
  return latencyNs === 0n && !venue?.latency ? 'at_once' : 'delayed'
}

/** The time from which it may trade, if that is after it reaches the market. */
function tradesFrom(order: Order, settings: WorldSettings): string | undefined {
  if (order.status === 'held' || order.timeInForce === 'opg' || order.timeInForce === 'cls') return undefined
  const { from } = tradingSpan(settings, classOf(order), order.dueAt)
  return from > order.dueAt ? formatInstant(from) : undefined
}

export const quoteNumbers = (quote: Quote | undefined): Numbers => ({
  bid: quote?.bid,
  ask: quote?.ask,
  bid_size: quote?.bidSize,
  ask_size: quote?.askSize,
  quote_at: quote && formatInstant(quote.at),
})

function marketStep(accepted: Accepted): ExplainedStep[] {
  const { quote, traded } = accepted.event.decidedWith
  if (!quote && traded === undefined) return []
  return [stepOf(accepted, 'market', { ...quoteNumbers(quote), traded })]
}

function buyingPowerStep(accepted: Accepted, world: ExplainedWorld): ExplainedStep[] {
  const { order, decidedWith } = accepted.event
  const { reference, cost, buyingPower, multiplier, position, available } = decidedWith
  if (cost !== undefined && buyingPower !== undefined) {
    const isMarginable = world.market.assets().get(order.symbol)?.marginable === true
    const numbers = {
      qty: order.notional === undefined ? order.quantity : undefined,
      reference,
      cost,
      buying_power: buyingPower,
      multiplier: isMarginable ? multiplier : undefined,
      left: buyingPower - cost,
    }
    return [stepOf(accepted, 'buyingPower', numbers)]
  }
  if (available === undefined) return []
  return [stepOf(accepted, 'shares', { qty: order.quantity, position, available })]
}

function triggerStep(accepted: Accepted): ExplainedStep[] {
  const { side, trigger } = accepted.event.order
  if (!trigger) return []
  const { stop, trailPrice, trailPercent, highWater } = trigger
  const trail = { trail_price: trailPrice, trail_percent: trailPercent, hwm: highWater }
  return [stepOf(accepted, 'trigger', { side, stop_price: stop, ...trail })]
}

function groupSteps(accepted: Accepted): ExplainedStep[] {
  const { group, replaces } = accepted.event.order
  const steps = replaces ? [stepOf(accepted, 'replaces', { order_id: replaces })] : []
  if (!group) return steps
  const { class: of, role, legIds, parentId } = group
  const numbers = { order_class: of, role, parent_id: parentId, leg_ids: legIds?.join(',') }
  return [...steps, stepOf(accepted, 'group', numbers)]
}
