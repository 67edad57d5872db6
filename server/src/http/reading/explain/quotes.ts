import type { ExplainedQuoteRecord } from '@quipu/contract'
import { format, type Order, type Quote } from '@quipu/core'
import type { OrderEvents } from '../order-events.ts'
import { quoteNumbers } from './acceptance.ts'
import { beginnings } from './counterfactual.ts'
import { type ExplainedWorld, type Step, written } from './step.ts'

/** The quotes that concern an order: when it reached the market, those that filled it, and the closest that missed it. */
export function quotesOf(
  world: ExplainedWorld,
  { order, own }: OrderEvents,
  counterfactual: readonly Step[],
): ExplainedQuoteRecord[] {
  const began = own.findLast(({ event }) => beginnings.has(event.kind))
  const arrival =
    began && !world.market.live ? world.market.pricesAt(began.event.at).quote(order.symbol) : undefined
  const quotes = arrival
    ? [quoteToWire(order, 'arrival', written(quoteNumbers(arrival)), missedBy(order, arrival))]
    : []
  for (const { event } of own)
    if (event.kind === 'orderFilled') {
      const filled_qty = format(event.quantity)
      quotes.push({ ...quoteToWire(order, 'fill', written(quoteNumbers(event.quote))), filled_qty })
    }
  const closest = counterfactual.find(({ code }) => code === 'limitInLife')?.numbers
  if (closest?.['ask']) quotes.push(quoteToWire(order, 'closest', closest, closest['missed_by']))
  return quotes.sort((a, b) => (a.at < b.at ? -1 : 1))
}

/** The distance between a quote and the limit that it does not reach. */
function missedBy({ side, limit }: Order, { bid, ask }: Quote): string | undefined {
  if (limit === undefined) return undefined
  const distance = side === 'buy' ? ask - limit : limit - bid
  return distance > 0n ? format(distance) : undefined
}

function quoteToWire(
  { side }: Order,
  relation: ExplainedQuoteRecord['relation'],
  { bid = '', ask = '', bid_size = '', ask_size = '', quote_at = '' }: { readonly [name: string]: string },
  missed_by?: string,
): ExplainedQuoteRecord {
  const [price, size] = side === 'buy' ? [ask, ask_size] : [bid, bid_size]
  return { at: quote_at, relation, price, size, bid, bid_size, ask, ask_size, missed_by }
}
