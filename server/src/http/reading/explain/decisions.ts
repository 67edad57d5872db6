import {
  type BrokerEvent,
  format,
  formatInstant,
  type OrderCanceled,
  type StopAdjusted,
  settingsOf,
} from '@quipu/core'
import type { NumberedEvent } from '../../../wire/numbered-event.ts'
import type { World } from '../../../world/world.ts'
import type { OrderEvents } from '../order-events.ts'
import { acceptanceSteps, quoteNumbers, quoteText } from './acceptance.ts'
import { isForAuction } from './auction.ts'
import { fillStep } from './fills.ts'
import { type Step, stepOf } from './step.ts'
import { venueStep } from './venue.ts'

type Of<Kind extends BrokerEvent['kind']> = NumberedEvent & {
  readonly event: Extract<BrokerEvent, { kind: Kind }>
}
const is = <Kind extends BrokerEvent['kind']>(numbered: NumberedEvent, kind: Kind): numbered is Of<Kind> =>
  numbered.event.kind === kind

/** Every decision about an order, from its events. */
export function decisionSteps(world: World, events: OrderEvents): Step[] {
  const settings = settingsOf(world.view)
  const trails = events.own.filter((numbered): numbered is Of<'stopAdjusted'> => is(numbered, 'stopAdjusted'))
  return events.own.flatMap((numbered) => {
    if (is(numbered, 'orderAccepted')) return acceptanceSteps(numbered, world)
    if (is(numbered, 'orderFilled')) return [fillStep(numbered, events, settings)]
    if (is(numbered, 'stopAdjusted')) return numbered === trails.at(-1) ? [trailStep(numbered, trails)] : []
    if (is(numbered, 'orderAcknowledged')) return [workStep(world, numbered, events)]
    return [plainStep(numbered)]
  })
}

/** A trailing stop may move a thousand times, so only its last move is a step, with the number of moves. */
function trailStep(numbered: Of<'stopAdjusted'>, trails: readonly NumberedEvent[]): Step {
  const { highWater, stop }: StopAdjusted = numbered.event
  const numbers = { moves: trails.length, hwm: highWater, stop_price: stop }
  const text = `The best price reached ${format(highWater)}; its stop followed to ${format(stop)} in ${trails.length} moves.`
  return stepOf(numbered, 'trailed', numbers, text)
}

/** The order reached the market; if its limit was not reached then, the reason why it did not fill. */
function workStep(world: World, numbered: Of<'orderAcknowledged'>, { order }: OrderEvents): Step {
  const { limit, side, trigger, symbol } = order
  const quote = world.market.live ? undefined : world.market.pricesAt(numbered.event.at).quote(symbol)
  if (!quote || limit === undefined || trigger || isForAuction(order))
    return stepOf(numbered, 'worked', {}, 'It reached the market.')
  const far = side === 'buy' ? quote.ask : quote.bid
  const isReached = side === 'buy' ? far <= limit : far >= limit
  const name = side === 'buy' ? 'ask' : 'bid'
  const waits = order.timeInForce !== 'ioc' && order.timeInForce !== 'fok'
  const text = isReached
    ? `It reached the market; the ${name} of ${format(far)} reached its limit.`
    : `It reached the market; the ${name} of ${format(far)} was ${side === 'buy' ? 'above' : 'below'} its limit of ${format(limit)}${waits ? ', so it waits' : ''} (${quoteText(quote)}).`
  return stepOf(numbered, 'worked', { limit_price: limit, ...quoteNumbers(quote) }, text)
}

const ends: Readonly<Record<OrderCanceled['why'], string>> = {
  asked: 'Canceled at the request of its owner.',
  aged: 'Canceled by age: it reached the maximum time of good-till-canceled orders.',
  group: 'Canceled, because an order it belongs to ended.',
  unfilled: 'Canceled: the quote did not fill it, and its time in force does not let it wait.',
  action: 'Canceled by a corporate action.',
  liquidation: 'Canceled by the broker, because a margin call was not met.',
}

function plainStep(numbered: NumberedEvent): Step {
  const { event } = numbered
  switch (event.kind) {
    case 'orderReleased':
      return stepOf(
        numbered,
        'released',
        { due_at: formatInstant(event.due) },
        'Its session began: it left the queue for the market.',
      )
    case 'orderActivated':
      return stepOf(numbered, 'activated', {}, 'The order it belongs to was filled: it works from now on.')
    case 'stopActivated':
      return stepOf(
        numbered,
        'armed',
        {},
        'The order it belongs to was filled: its stop is active from now on.',
      )
    case 'orderElected': {
      const { price, size, at } = event.trade
      const text = `A trade at ${format(price)} reached its stop: it works from now on.`
      return stepOf(numbered, 'elected', { price, size, traded_at: formatInstant(at) }, text)
    }
    case 'orderResized':
      return stepOf(
        numbered,
        'resized',
        { qty: event.quantity },
        `It is for ${format(event.quantity)} now, as the order it belongs to was filled in part.`,
      )
    case 'orderRestated':
      return stepOf(
        numbered,
        'restated',
        { action_id: event.actionId },
        'A corporate action changed its terms.',
      )
    case 'orderReplaced':
      return stepOf(numbered, 'replaced', { by: event.by }, `Replaced by order ${event.by}.`)
    case 'orderCanceled':
      return stepOf(numbered, 'canceled', { why: event.why }, ends[event.why])
    case 'orderExpired':
      return stepOf(numbered, 'expired', {}, 'Expired: its time in force ended.')
    default:
      return venueStep(numbered) ?? stepOf(numbered, event.kind, {}, 'Another event of the order.')
  }
}
