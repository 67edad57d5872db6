import { format, formatInstant, type OrderFilled, type Side, type WorldSettings } from '@quipu/core'
import type { OrderEvents } from '../order-events.ts'
import type { Seen } from '../seen.ts'
import { quoteNumbers, quoteText } from './acceptance.ts'
import { type Step, stepOf } from './step.ts'

type Filled = Seen & { readonly event: OrderFilled }

/** A fill: the quote it was decided with, who came before, how much there was, and what is left. */
export function fillStep(seen: Filled, { order, own, others }: OrderEvents, settings: WorldSettings): Step {
  const { event } = seen
  const before = own.flatMap(({ seq, event: one }) =>
    one.kind === 'orderFilled' && seq < seen.seq ? [one.quantity] : [],
  )
  const filled = before.reduce((sum, quantity) => sum + quantity, 0n) + event.quantity
  const rest = event.rest ?? (order.quantity - filled > 0n ? order.quantity - filled : 0n)
  const ahead = takenBefore(seen, order.side, others)
  const shown = order.side === 'buy' ? event.quote.askSize : event.quote.bidSize
  const isCapped = settings.fillSize === 'displayed' && event.auction === undefined
  const numbers = {
    qty: event.quantity,
    price: event.price,
    cash: event.cash,
    ...quoteNumbers(event.quote),
    volume_cap: isCapped ? shown : 'unlimited',
    queue_ahead: ahead,
    filled_qty: filled,
    remaining_qty: rest,
    position_after: event.positionAfter,
    settles: event.settles,
    auction: event.auction,
    fee_sec: event.fees?.sec,
    fee_taf: event.fees?.taf,
    fee_cat: event.fees?.cat,
    coin_fee: event.coinFee?.amount,
    execution_id: event.executionId,
  }
  return stepOf(seen, 'filled', numbers, [priceText(event, order.side), capText(), restText()].join(' '))

  function capText(): string {
    if (event.auction) return 'An auction fills whole.'
    if (!isCapped) return 'The size of fills is not limited in this world.'
    const queue = ahead > 0n ? `, ${format(ahead)} of which went to orders ahead of it` : ''
    return `The quote had ${format(shown)} to give${queue}.`
  }

  function restText(): string {
    return rest > 0n ? `${format(rest)} are left.` : 'That was all of it.'
  }
}

const auctions = { open: 'opening', close: 'closing' } as const

function priceText({ quantity, price, quote, auction, at }: OrderFilled, side: Side): string {
  const what = `${side === 'buy' ? 'Bought' : 'Sold'} ${format(quantity)} at ${format(price)}`
  if (auction) return `${what}, the price of the ${auctions[auction]} auction.`
  return `${what}, the ${side === 'buy' ? 'ask' : 'bid'} at ${formatInstant(at)} (${quoteText(quote)}).`
}

/** What orders of the same side had taken of the same quote by then, in the order of the journal. */
function takenBefore({ seq, event }: Filled, side: Side, others: readonly Seen[]): bigint {
  let taken = 0n
  for (const { seq: number, event: other } of others)
    if (
      number < seq &&
      other.kind === 'orderFilled' &&
      other.quote.at === event.quote.at &&
      sideOf(other) === side
    )
      taken += other.quantity
  return taken
}

/** Whoever gets the shares bought. */
const sideOf = ({ price, quote, posting, symbol, accountId }: OrderFilled): Side => {
  if (quote.ask !== quote.bid) return price === quote.ask ? 'buy' : 'sell'
  const mine = posting.find(
    ({ account, asset }) => account.includes(accountId) && asset === (symbol as string),
  )
  return (mine?.amount ?? 0n) > 0n ? 'buy' : 'sell'
}
