import {
  type BrokerEvent,
  format,
  formatInstant,
  type OrderCanceled,
  type OrderTrailed,
  settingsOf,
} from '@quipu/core'
import type { World } from '../../../world/world.ts'
import type { NumberedEvent } from '../numbered-event.ts'
import type { OrderEvents } from '../order-events.ts'
import { acceptanceSteps, quoteNumbers, quoteText } from './acceptance.ts'
import { isForAuction } from './auction.ts'
import { fillStep } from './fills.ts'
import { type Step, stepOf } from './step.ts'

type Of<Kind extends BrokerEvent['kind']> = NumberedEvent & {
  readonly event: Extract<BrokerEvent, { kind: Kind }>
}
const is = <Kind extends BrokerEvent['kind']>(seen: NumberedEvent, kind: Kind): seen is Of<Kind> =>
  seen.event.kind === kind

/** Every decision about an order, from its events. */
export function decisionSteps(world: World, events: OrderEvents): Step[] {
  const settings = settingsOf(world.view)
  const trails = events.own.filter((seen): seen is Of<'orderTrailed'> => is(seen, 'orderTrailed'))
  return events.own.flatMap((seen) => {
    if (is(seen, 'orderAccepted')) return acceptanceSteps(seen, world)
    if (is(seen, 'orderFilled')) return [fillStep(seen, events, settings)]
    if (is(seen, 'orderTrailed')) return seen === trails.at(-1) ? [trailStep(seen, trails)] : []
    if (is(seen, 'orderWorked')) return [workStep(world, seen, events)]
    return [plainStep(seen)]
  })
}

/** A trailing stop may move a thousand times: its last move is told, with how many came before. */
function trailStep(seen: Of<'orderTrailed'>, trails: readonly NumberedEvent[]): Step {
  const { highWater, stop }: OrderTrailed = seen.event
  const numbers = { moves: trails.length, hwm: highWater, stop_price: stop }
  const text = `The best price came to ${format(highWater)}; its stop followed to ${format(stop)} in ${trails.length} moves.`
  return stepOf(seen, 'trailed', numbers, text)
}

/** The market has it; where a limit was out of reach then, why it did not fill. */
function workStep(world: World, seen: Of<'orderWorked'>, { order }: OrderEvents): Step {
  const { limit, side, trigger, symbol } = order
  const quote = world.market.live ? undefined : world.market.pricesAt(seen.event.at).quote(symbol)
  if (!quote || limit === undefined || trigger || isForAuction(order))
    return stepOf(seen, 'worked', {}, 'The market has it.')
  const far = side === 'buy' ? quote.ask : quote.bid
  const isReached = side === 'buy' ? far <= limit : far >= limit
  const name = side === 'buy' ? 'ask' : 'bid'
  const waits = order.timeInForce !== 'ioc' && order.timeInForce !== 'fok'
  const text = isReached
    ? `The market has it; the ${name} of ${format(far)} reached its limit.`
    : `The market has it; the ${name} of ${format(far)} was ${side === 'buy' ? 'above' : 'below'} its limit of ${format(limit)}${waits ? ', so it waits' : ''} (${quoteText(quote)}).`
  return stepOf(seen, 'worked', { limit_price: limit, ...quoteNumbers(quote) }, text)
}

const ends: Readonly<Record<OrderCanceled['why'], string>> = {
  asked: 'Canceled, as its owner asked.',
  aged: 'Canceled by age: its time good till canceled was over.',
  group: 'Canceled, because an order it belongs to ended.',
  unfilled: 'Canceled: the quote of that instant did not fill it, and it does not wait.',
  action: 'Canceled by a corporate action.',
}

function plainStep(seen: NumberedEvent): Step {
  const { event } = seen
  switch (event.kind) {
    case 'orderReleased':
      return stepOf(
        seen,
        'released',
        { due_at: formatInstant(event.due) },
        'Its session began: it left the queue for the market.',
      )
    case 'orderActivated':
      return stepOf(seen, 'activated', {}, 'The order it belongs to was filled: it works from here on.')
    case 'orderArmed':
      return stepOf(seen, 'armed', {}, 'The order it belongs to was filled: its stop counts from here on.')
    case 'orderElected': {
      const { price, size, at } = event.trade
      const text = `A trade at ${format(price)} reached its stop: it works from here on.`
      return stepOf(seen, 'elected', { price, size, traded_at: formatInstant(at) }, text)
    }
    case 'orderResized':
      return stepOf(
        seen,
        'resized',
        { qty: event.quantity },
        `It is for ${format(event.quantity)} now, as the order it belongs to was filled in part.`,
      )
    case 'orderRestated':
      return stepOf(seen, 'restated', { action_id: event.actionId }, 'A corporate action changed its terms.')
    case 'orderReplaced':
      return stepOf(seen, 'replaced', { by: event.by }, `Replaced by order ${event.by}.`)
    case 'orderCanceled':
      return stepOf(seen, 'canceled', { why: event.why }, ends[event.why])
    case 'orderExpired':
      return stepOf(seen, 'expired', {}, 'Expired: its time was over.')
    default:
      return stepOf(seen, event.kind, {}, 'Something else happened to it.')
  }
}
