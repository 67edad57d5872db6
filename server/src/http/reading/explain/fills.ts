import {
  sizeOf as absolute,
  formatInstant,
  type Order,
  type OrderFilled,
  type WorldSettings,
} from '@quipu/core'
import type { NumberedEvent } from '../../../wire/numbered-event.ts'
import type { OrderEvents } from '../order-events.ts'
import { quoteNumbers } from './acceptance.ts'
import { type ExplainedStep, type Numbers, stepOf } from './step.ts'

type Filled = NumberedEvent & { readonly event: OrderFilled }

/** A fill: its quote, the quantity of orders ahead, the available quantity, and the rest. */
export function fillStep(fill: Filled, events: OrderEvents, settings: WorldSettings): ExplainedStep {
  const { event } = fill
  const { side } = events.order
  const size = sizeOf(fill, events, settings)
  const far = side === 'buy' ? event.quote.ask : event.quote.bid
  const isMoved = event.auction === undefined && event.price !== far
  const numbers = {
    side,
    filled_at: formatInstant(event.at),
    qty: event.quantity,
    price: event.price,
    cash: event.cash,
    worse_by: isMoved ? absolute(event.price - far) : undefined,
    ...quoteNumbers(event.quote),
    volume_cap: size.cap ?? 'unlimited',
    queue_ahead: size.ahead,
    filled_qty: size.filled,
    remaining_qty: size.rest,
    position_after: event.positionAfter,
    settles: event.settles,
    auction: event.auction,
    minute_volume: event.venue?.volume,
    pieces_left: event.venue?.piecesLeft,
    rests_until: event.venue?.restsUntil && formatInstant(event.venue.restsUntil),
    ...feeNumbers(event),
    execution_id: event.executionId,
  }
  return stepOf(fill, 'filled', numbers)
}

type Size = {
  /** The size of the quote; absent if fills are not limited. */
  readonly cap: bigint | undefined
  readonly ahead: bigint
  readonly filled: bigint
  readonly rest: bigint
}

function sizeOf(fill: Filled, { order, own, ahead }: OrderEvents, { fillSize }: WorldSettings): Size {
  const { event, seq } = fill
  const before = own.flatMap(({ seq: number, event: one }) =>
    one.kind === 'orderFilled' && number < seq ? [one.quantity as bigint] : [],
  )
  const filled = before.reduce((sum, quantity) => sum + quantity, event.quantity as bigint)
  const isCapped = fillSize === 'displayed' && event.auction === undefined
  return {
    cap: isCapped ? quoteSize(order, event) : undefined,
    ahead: ahead.get(seq) ?? 0n,
    filled,
    rest: event.rest ?? (order.quantity > filled ? order.quantity - filled : 0n),
  }
}

const quoteSize = ({ side }: Order, { quote }: OrderFilled): bigint =>
  side === 'buy' ? quote.askSize : quote.bidSize

const feeNumbers = ({ fees, coinFee }: OrderFilled): Numbers => ({
  fee_sec: fees?.sec,
  fee_taf: fees?.taf,
  fee_cat: fees?.cat,
  coin_fee: coinFee?.amount,
})
