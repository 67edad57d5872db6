import {
  format,
  formatInstant,
  type Order,
  type OrderFilled,
  type Side,
  type WorldSettings,
} from '@quipu/core'
import type { NumberedEvent } from '../../../wire/numbered-event.ts'
import type { OrderEvents } from '../order-events.ts'
import { quoteNumbers, quoteText } from './acceptance.ts'
import { type Numbers, type Step, stepOf } from './step.ts'

type Filled = NumberedEvent & { readonly event: OrderFilled }

/** A fill: its quote, the quantity of orders ahead, the available quantity, and the rest. */
export function fillStep(fill: Filled, events: OrderEvents, settings: WorldSettings): Step {
  const { event } = fill
  const { side } = events.order
  const size = sizeOf(fill, events, settings)
  const numbers = {
    qty: event.quantity,
    price: event.price,
    cash: event.cash,
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
  return stepOf(fill, 'filled', numbers, `${priceText(event, side)} ${sizeText(event, size)}`)
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

const auctions = { open: 'opening', close: 'closing' } as const

function priceText({ quantity, price, quote, auction, at }: OrderFilled, side: Side): string {
  const trade = `${side === 'buy' ? 'Bought' : 'Sold'} ${format(quantity)} at ${format(price)}`
  if (auction) return `${trade}, the price of the ${auctions[auction]} auction.`
  const [name, far] = side === 'buy' ? ['ask', quote.ask] : ['bid', quote.bid]
  const moved = price === far ? '' : `${format(price > far ? price - far : far - price)} worse than `
  return `${trade}, ${moved}the ${name} at ${formatInstant(at)} (${quoteText(quote)}).`
}

function sizeText({ auction, venue }: OrderFilled, { cap, ahead, rest }: Size): string {
  const left = rest > 0n ? `${format(rest)} are left.` : 'Nothing is left.'
  if (venue?.restsUntil !== undefined)
    return `It fills in pieces and rests until ${formatInstant(venue.restsUntil)}. ${left}`
  if (venue?.volume !== undefined)
    return `Fills are limited to a share of the volume of the minute, ${format(venue.volume)}. ${left}`
  if (auction) return `An auction fills the full quantity. ${left}`
  if (cap === undefined) return `The size of fills is not limited in this world. ${left}`
  const queue = ahead > 0n ? `, of which ${format(ahead)} went to orders ahead of it` : ''
  return `The quote had ${format(cap)} available${queue}. ${left}`
}
