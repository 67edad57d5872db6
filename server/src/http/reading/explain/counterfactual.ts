import type { World } from '@quipu/broker/world/world.ts'
import {
  classOf,
  earlier,
  formatInstant,
  type Instant,
  isOpen,
  later,
  missing,
  type Order,
  type Price,
  type Side,
  settingsOf,
  sizeOf,
  type Ticker,
  toPrice,
  tradingSpan,
  worstPrice,
} from '@quipu/core'
import type { OrderEvents } from '../order-events.ts'
import { quoteNumbers } from './acceptance.ts'
import { auctionSteps, waitsForAuction } from './auction.ts'
import { type ExplainedStep, explainStepAt, type Sight } from './step.ts'

/** The market is searched this far beyond the order's end or beyond now, and at most this many sessions. */
const HORIZON_NS = 30n * 86_400_000_000_000n
const SPANS_MAX = 80

type Search = { readonly symbol: Ticker; readonly side: Side; readonly extendedHours: boolean }
type Span = { readonly from: Instant; readonly to: Instant }

/** The limits that would have filled an order, and when, if it was not filled at once. */
export async function counterfactual(
  world: World,
  events: OrderEvents,
  sight: Sight,
): Promise<ExplainedStep[]> {
  const { order, own } = events
  const began = own.findLast(({ event }) => beginnings.has(event.kind))
  const isStillHeld = order.trigger !== undefined && order.trigger.electedAt === undefined
  if (order.status === 'filled' && order.limit === undefined) return []
  if (world.market.live) return [explainStepAt(world.engine.latest, 'notForeseeable', {})]
  if (waitsForAuction(order)) return order.status === 'filled' ? [] : auctionSteps(world, order, sight)
  if (isStillHeld) return electionStep(world, order, sight)
  if (!began) return []
  const from = began.event.at
  const to = endOf(world, order)
  const limit = worstPrice(order)
  const steps = atOnce(world, order, from, events)
  if (limit === undefined || order.status === 'filled') return steps
  const isBrief = order.timeInForce === 'ioc' || order.timeInForce === 'fok'
  if (!isBrief) steps.push(...(await whileWorking(world, order, limit, { from, to })))
  if (order.status !== 'replaced') steps.push(...(await afterwards(world, order, limit, to, sight)))
  return steps
}

/** The order can be filled from the last of these events on. */
export const beginnings: ReadonlySet<string> = new Set([
  'orderAcknowledged',
  'orderActivated',
  'orderElected',
])

const endOf = (world: World, order: Order): Instant => (isOpen(order) ? world.engine.latest : order.updatedAt)

/** The opposite side of the quote when the order began to work; none if the order was filled then. */
function atOnce(
  world: World,
  { symbol, side, limit }: Order,
  at: Instant,
  { own }: OrderEvents,
): ExplainedStep[] {
  const quote = world.market.pricesAt(at).quote(symbol)
  const isFilledThen = own.some(({ event }) => event.kind === 'orderFilled' && event.quote.at === quote?.at)
  if (!quote || limit === undefined || isFilledThen) return []
  const far = side === 'buy' ? quote.ask : quote.bid
  return [explainStepAt(at, 'limitAtOnce', { limit_price: far, side })]
}

/** The limit nearest to the order's limit that was reached while it worked, by binary search. */
async function whileWorking(world: World, order: Order, own: Price, span: Span): Promise<ExplainedStep[]> {
  const quote = world.market.pricesAt(span.from).quote(order.symbol)
  if (!quote) return []
  const sign = order.side === 'buy' ? 1n : -1n
  const far = order.side === 'buy' ? quote.ask : quote.bid
  const step = own >= 1_000_000_000n ? 10_000_000n : 100_000n
  // In price steps from the order's limit: `missed` was not reached, `met` was.
  let [missed, met] = [0n, (sign * (far - own) + step - 1n) / step]
  if (met <= 0n) return []
  while (met - missed > 1n) {
    const middle = (missed + met) / 2n
    if (await touch(world, order, toPrice(own + sign * middle * step), span)) met = middle
    else missed = middle
  }
  const limit = toPrice(own + sign * met * step)
  const at = await touch(world, order, limit, span)
  if (at === undefined) return []
  const closest = world.market.pricesAt(at).quote(order.symbol)
  const missedBy = closest && sizeOf((order.side === 'buy' ? closest.ask : closest.bid) - own)
  const numbers = { limit_price: limit, at: formatInstant(at), missed_by: missedBy, ...quoteNumbers(closest) }
  return [explainStepAt(at, 'limitInLife', numbers)]
}

/** The time at which the order's limit is reached after its end, or from now on. */
async function afterwards(
  world: World,
  order: Order,
  limit: Price,
  end: Instant,
  sight: Sight,
): Promise<ExplainedStep[]> {
  const to = sight === 'past' ? world.engine.latest : later(max(world.engine.latest, end), HORIZON_NS)
  if (to <= end) return []
  const at = await touch(world, order, limit, { from: later(end, 1n), to })
  if (at === undefined)
    return [explainStepAt(to, 'limitNotReached', { limit_price: limit, searched_to: formatInstant(to) })]
  return [
    explainStepAt(at, 'limitReachedAt', {
      limit_price: limit,
      at: formatInstant(at),
      order_is: stateOf(order),
      is_past: at <= world.engine.latest,
    }),
  ]
}

const stateOf = (order: Order): 'open' | 'closed' => (isOpen(order) ? 'open' : 'closed')

/** The trade that elects a stop order that is not elected yet. */
async function electionStep(world: World, order: Order, sight: Sight): Promise<ExplainedStep[]> {
  const { symbol, side, trigger } = order
  const { stop, armedAt } = trigger ?? missing('the stop')
  if (armedAt === undefined) return []
  const end = isOpen(order) ? world.engine.latest : order.updatedAt
  const to = sight === 'past' ? world.engine.latest : later(max(world.engine.latest, end), HORIZON_NS)
  const direction = side === 'sell' ? ('fall' as const) : ('rise' as const)
  const regular = { symbol, side, extendedHours: false }
  for (const span of spans(world, regular, { from: end, to })) {
    const trade = await world.market.schedule.nextTrade({ symbol, direction, price: stop, ...span })
    if (!trade) continue
    const { price, size, at } = trade
    const numbers = { stop_price: stop, price, size, at: formatInstant(at), order_is: stateOf(order) }
    return [explainStepAt(at, 'electedAt', numbers)]
  }
  return [explainStepAt(to, 'stopNotReached', { stop_price: stop, searched_to: formatInstant(to) })]
}

/** The time at which a price is reached, within the trading hours of the order. */
export async function touch(
  world: World,
  search: Search,
  price: Price,
  within: Span,
): Promise<Instant | undefined> {
  const { symbol, side } = search
  for (const span of spans(world, search, within)) {
    const at = await world.market.schedule.nextTouch({ symbol, side, price, ...span })
    if (at !== undefined) return at
  }
  return undefined
}

/** The times within a span at which an order may trade. */
export function* spans(world: World, search: Search, { from, to }: Span): Generator<Span> {
  const settings = settingsOf(world.view)
  let at = from
  for (let count = 0; count < SPANS_MAX && at <= to; count++) {
    const span = tradingSpan(settings, classOf(search), at)
    if (span.from > to) return
    // The end of a session belongs to the closed hours after it.
    const end = span.to === undefined || span.to > to ? to : earlier(span.to, 1n)
    yield { from: span.from, to: end }
    if (span.to === undefined) return
    at = span.to
  }
}

const max = (a: Instant, b: Instant): Instant => (a > b ? a : b)
