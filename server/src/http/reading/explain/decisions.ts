import {
  type BrokerEvent,
  format,
  formatInstant,
  isOrderEvent,
  type StopAdjusted,
  settingsOf,
  unreachable,
} from '@quipu/core'
import type { NumberedEvent } from '../../../wire/numbered-event.ts'
import type { OrderEvents } from '../order-events.ts'
import { acceptanceSteps, quoteNumbers } from './acceptance.ts'
import { waitsForAuction } from './auction.ts'
import { fillStep } from './fills.ts'
import type { StepCode } from './sentences.table.ts'
import { type ExplainedStep, type ExplainedWorld, type Numbers, stepOf } from './step.ts'

type Of<Kind extends BrokerEvent['kind']> = NumberedEvent & {
  readonly event: Extract<BrokerEvent, { kind: Kind }>
}
const is = <Kind extends BrokerEvent['kind']>(numbered: NumberedEvent, kind: Kind): numbered is Of<Kind> =>
  numbered.event.kind === kind

/** Every decision about an order, from its events. */
export function decisionSteps(world: ExplainedWorld, events: OrderEvents): ExplainedStep[] {
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
function trailStep(numbered: Of<'stopAdjusted'>, trails: readonly NumberedEvent[]): ExplainedStep {
  const { highWater, stop }: StopAdjusted = numbered.event
  return stepOf(numbered, 'trailed', { moves: trails.length, hwm: highWater, stop_price: stop })
}

/** The order reached the market; if its limit was not reached then, the reason why it did not fill. */
function workStep(
  world: ExplainedWorld,
  numbered: Of<'orderAcknowledged'>,
  { order }: OrderEvents,
): ExplainedStep {
  const { limit, side, trigger, symbol } = order
  const quote = world.market.live ? undefined : world.market.pricesAt(numbered.event.at).quote(symbol)
  if (!quote || limit === undefined || trigger || waitsForAuction(order))
    return stepOf(numbered, 'worked', {})
  const reached = side === 'buy' ? quote.ask <= limit : quote.bid >= limit
  const terms = { side, limit_price: limit, time_in_force: order.timeInForce }
  return stepOf(numbered, 'worked', { ...terms, ...quoteNumbers(quote), reached })
}

const otherStep = (numbered: NumberedEvent): ExplainedStep =>
  stepOf(numbered, 'event', { kind: numbered.event.kind })

function plainStep(numbered: NumberedEvent): ExplainedStep {
  const { event } = numbered
  switch (event.kind) {
    case 'orderReleased':
      return stepOf(numbered, 'released', { due_at: formatInstant(event.due) })
    case 'orderActivated':
      return stepOf(numbered, 'activated', {})
    case 'stopActivated':
      return stepOf(numbered, 'armed', {})
    case 'orderElected': {
      const { price, size, at } = event.trade
      return stepOf(numbered, 'elected', { price, size, traded_at: formatInstant(at) })
    }
    case 'orderResized':
      return stepOf(numbered, 'resized', { qty: event.quantity })
    case 'orderRestated':
      return stepOf(numbered, 'restated', { action_id: event.actionId })
    case 'orderReplaced':
      return stepOf(numbered, 'replaced', { by: event.by })
    case 'orderCanceled':
      return stepOf(numbered, 'canceled', { why: event.why })
    case 'orderExpired':
      return stepOf(numbered, 'expired', {})
    case 'orderRejected':
    case 'orderCancelRequested':
    case 'orderCancelRejected':
    case 'orderReplaceRequested':
    case 'orderReplaceRejected':
    case 'orderDoneForDay':
    case 'orderResumed':
    case 'orderRequeued':
    case 'positionLiquidated':
      return venueStep(numbered, event)
    // Not plain: the caller has their steps.
    case 'orderAccepted':
    case 'orderAcknowledged':
    case 'orderFilled':
    case 'stopAdjusted':
      return otherStep(numbered)
    default:
      return isOrderEvent(event) ? unreachable(event) : otherStep(numbered)
  }
}

type ExplainedEvent = Extract<
  BrokerEvent,
  {
    kind:
      | 'orderRejected'
      | 'orderCancelRequested'
      | 'orderCancelRejected'
      | 'orderReplaceRequested'
      | 'orderReplaceRejected'
      | 'orderDoneForDay'
      | 'orderResumed'
      | 'orderRequeued'
      | 'positionLiquidated'
  }
>

/** The step of an event that only venue settings cause. */
function venueStep(numbered: NumberedEvent, event: ExplainedEvent): ExplainedStep {
  const step = (code: StepCode, numbers: Numbers) => stepOf(numbered, code, numbers)
  switch (event.kind) {
    case 'orderRejected':
      return step('rejected', { why: event.why, ...drawNumbers(event) })
    case 'orderCancelRequested':
      return step('cancelRequested', { confirm_at: formatInstant(event.confirmAt) })
    case 'orderCancelRejected':
      return step('cancelRejected', drawNumbers(event))
    case 'orderReplaceRequested':
      return step('replaceRequested', { by: event.by, qty: event.quantity })
    case 'orderReplaceRejected':
      return step('replaceRejected', { by: event.by, why: event.why, ...drawNumbers(event) })
    case 'orderDoneForDay':
      return step('doneForDay', { resumes_at: event.resumesAt && formatInstant(event.resumesAt) })
    case 'orderResumed':
      return step('resumed', {})
    case 'orderRequeued':
      return step('requeued', {})
    case 'positionLiquidated': {
      const { value, equity, maintenanceMargin } = event
      return step('liquidation', { value, equity, maintenance_margin: maintenanceMargin })
    }
  }
}

type Drawn = { readonly draw?: number; readonly share?: number }

const drawNumbers = ({ draw, share }: Drawn): Numbers => ({
  draw: draw === undefined ? undefined : millionths(draw),
  share: share === undefined ? undefined : millionths(share),
})

const millionths = (value: number): string => format(BigInt(value) * 1000n)
