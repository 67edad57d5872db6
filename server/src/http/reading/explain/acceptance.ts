import {
  classOf,
  format,
  formatInstant,
  type Order,
  type OrderAccepted,
  type Quote,
  settingsOf,
  type TradingPhase,
  tradingSpan,
  type WorldSettings,
} from '@quipu/core'
import type { NumberedEvent } from '../../../wire/numbered-event.ts'
import { statuses } from '../../../wire/order-words.ts'
import type { World } from '../../../world/world.ts'
import { type Numbers, type Step, stepOf } from './step.ts'
import { termsNumbers, termsOf, termsText } from './terms.ts'

type Accepted = NumberedEvent & { readonly event: OrderAccepted }

/** The steps of an acceptance: terms, session, market, buying power, expiry, trigger and group. */
export function acceptanceSteps(accepted: Accepted, world: World): Step[] {
  const { order } = accepted.event
  const settings = settingsOf(world.view)
  return [
    stepOf(accepted, 'placed', termsNumbers(termsOf(order)), `Accepted: ${termsText(termsOf(order))}.`),
    ...sessionStep(accepted, settings),
    ...marketStep(accepted),
    ...buyingPowerStep(accepted, world),
    stepOf(
      accepted,
      'timeInForce',
      { time_in_force: order.timeInForce, expires_at: formatInstant(order.expiresAt) },
      endText(order),
    ),
    ...triggerStep(accepted),
    ...groupStep(accepted),
  ]
}

export const phases: Readonly<Record<TradingPhase, string>> = {
  always: 'It trades at any hour.',
  regular: 'The regular session was on.',
  extended: 'It was before or after the regular session.',
  closed: 'The market was closed.',
}

function sessionStep(accepted: Accepted, settings: WorldSettings): Step[] {
  const { order, decidedWith } = accepted.event
  const { session } = decidedWith
  const numbers = {
    hours: settings.hours,
    session,
    status: statuses[order.status],
    extended_hours: String(order.extendedHours),
    due_at: formatInstant(order.dueAt),
  }
  const text = [session && phases[session], wayText(order, settings), hoursText(order, settings)]
  return [stepOf(accepted, 'session', numbers, text.filter(Boolean).join(' '))]
}

function wayText({ status, dueAt }: Order, { latencyNs, venue }: WorldSettings): string {
  if (status === 'held') return 'It waits for the order it belongs to.'
  if (status === 'accepted') return `It is queued and leaves for the market at ${formatInstant(dueAt)}.`
  return latencyNs === 0n && !venue?.latency
    ? 'It goes to the market at once.'
    : `It reaches the market at ${formatInstant(dueAt)}.`
}

/** The time from which it may trade, if that is after it reaches the market. */
function hoursText(order: Order, settings: WorldSettings): string | undefined {
  if (order.status === 'held' || order.timeInForce === 'opg' || order.timeInForce === 'cls') return undefined
  const { from } = tradingSpan(settings, classOf(order), order.dueAt)
  return from > order.dueAt ? `It trades from ${formatInstant(from)} on.` : undefined
}

export const quoteNumbers = (quote: Quote | undefined): Numbers => ({
  bid: quote?.bid,
  ask: quote?.ask,
  bid_size: quote?.bidSize,
  ask_size: quote?.askSize,
  quote_at: quote && formatInstant(quote.at),
})

export const quoteText = ({ bid, ask, bidSize, askSize }: Quote): string =>
  `bid ${format(bid)} × ${format(bidSize)}, ask ${format(ask)} × ${format(askSize)}`

function marketStep(accepted: Accepted): Step[] {
  const { quote, traded } = accepted.event.decidedWith
  if (!quote && traded === undefined) return []
  const texts = [quote && quoteText(quote), traded !== undefined && `last trade ${format(traded)}`].filter(
    Boolean,
  )
  const numbers = { ...quoteNumbers(quote), traded }
  return [stepOf(accepted, 'market', numbers, `The market showed ${texts.join(', ')}.`)]
}

function buyingPowerStep(accepted: Accepted, world: World): Step[] {
  const { order, decidedWith } = accepted.event
  const { reference, cost, buyingPower, multiplier, position, available } = decidedWith
  if (cost !== undefined && buyingPower !== undefined) {
    const numbers = { reference, cost, buying_power: buyingPower, multiplier, left: buyingPower - cost }
    const size =
      order.notional === undefined ? `${format(order.quantity)} at ${format(reference!)} take` : 'It takes'
    const hasMargin = multiplier !== undefined && world.market.assets().get(order.symbol)?.marginable
    const margin = hasMargin ? ` (${multiplier} times margin)` : ''
    const text = `${size} ${format(cost)} of a buying power of ${format(buyingPower)}${margin}: enough.`
    return [stepOf(accepted, 'buyingPower', numbers, text)]
  }
  if (available === undefined) return []
  const numbers = { qty: order.quantity, position, available }
  const of = position === undefined ? '' : ` of a position of ${format(position)}`
  return [
    stepOf(
      accepted,
      'shares',
      numbers,
      `It closes ${format(order.quantity)}; ${format(available)}${of} were available.`,
    ),
  ]
}

function endText({ timeInForce, expiresAt, extendedHours }: Order): string {
  const at = formatInstant(expiresAt)
  switch (timeInForce) {
    case 'day':
      return `Good for the day: it expires at ${at}, the end of ${extendedHours ? 'its' : 'the regular'} session.`
    case 'gtc':
      return `Good till canceled: it is canceled by age at ${at}.`
    case 'opg':
      return `It trades only in the opening auction; the rest expires at ${at}.`
    case 'cls':
      return `It trades only in the closing auction; the rest expires at ${at}.`
    case 'ioc':
      return 'Immediate or cancel: the quantity that the first quote does not fill is canceled.'
    case 'fok':
      return 'Fill or kill: the first quote fills all of it, or it is canceled.'
  }
}

function triggerStep(accepted: Accepted): Step[] {
  const { side, trigger } = accepted.event.order
  if (!trigger) return []
  const { stop, trailPrice, trailPercent, highWater } = trigger
  const way = side === 'sell' ? 'or below' : 'or above'
  const trails = trailPrice !== undefined || trailPercent !== undefined
  const text = `It waits for a trade at ${format(stop)} ${way}${trails ? ', a price that follows the market' : ''}; only trades of the regular session count.`
  const numbers = { stop_price: stop, trail_price: trailPrice, trail_percent: trailPercent, hwm: highWater }
  return [stepOf(accepted, 'trigger', numbers, text)]
}

const roles = { entry: 'the entry', takeProfit: 'the take-profit', stopLoss: 'the stop-loss' } as const

function groupStep(accepted: Accepted): Step[] {
  const { group, replaces } = accepted.event.order
  const steps: Step[] = []
  if (replaces)
    steps.push(stepOf(accepted, 'replaces', { order_id: replaces }, `It replaces order ${replaces}.`))
  if (!group) return steps
  const { class: of, role, legIds, parentId } = group
  const others = legIds ? `with ${legIds.join(' and ')}` : `under ${parentId}`
  const numbers = { order_class: of, role, parent_id: parentId, leg_ids: legIds?.join(',') }
  return [
    ...steps,
    stepOf(
      accepted,
      'group',
      numbers,
      `It is ${roles[role]} of ${of === 'bracket' ? 'a' : 'an'} ${of} order, ${others}.`,
    ),
  ]
}
