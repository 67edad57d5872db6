import { divide, type Money, max, type Price, type Quantity, toPrice, toQuantity, UNIT } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import { isPair } from '../market/assets/asset.ts'
import { session } from '../market/calendar.ts'
import type { Quote } from '../market/prices.ts'
import type { Moment } from '../moment.ts'
import { type Instant, newYorkDate } from '../time.ts'
import type { WorldSettings } from '../world.ts'
import type { TradingPhase } from './events.ts'
import { triggerRow } from './kinds.ts'
import { buyStopMax, trailingStopPrice } from './matching/trigger-prices.ts'
import type { PositionIntent } from './order.ts'
import type { OrderTerms } from './terms.ts'

export function phaseOf({ hours }: WorldSettings, symbol: Ticker, at: Instant): TradingPhase {
  if (hours === 'always' || isPair(symbol)) return 'always'
  const today = session(newYorkDate(at))
  if (!today || at < today.preOpen || at >= today.postClose) return 'closed'
  return at >= today.open && at < today.close ? 'regular' : 'extended'
}

/** The estimated price of a share, and the market data used for it. */
export type PriceEstimate = { readonly reserve: Price; readonly quote?: Quote; readonly traded?: Price }

/** A short is estimated at this percentage of the ask, because the price may rise. */
const SHORT_PERCENT = 103n

/**
 * Estimates the price of an order. A buy: its limit, or the maximum its stop may pay. A short: its limit or a
 * little above the ask, whichever is higher. Without a price: the market price. Undefined if that is unknown.
 */
export function estimatePrice(
  { prices }: Pick<Moment, 'prices'>,
  phase: TradingPhase,
  terms: OrderTerms,
  intent: PositionIntent,
): PriceEstimate | undefined {
  const { symbol, side, type, limit, stop } = terms
  const isTrailing = triggerRow(type).follows
  if (intent === 'sellToOpen') {
    const quote = prices.quote(symbol)
    // A trailing stop starts from the last trade.
    const traded = quote && !isTrailing ? undefined : prices.trade(symbol)?.price
    const ask = quote?.ask ?? traded
    if (ask === undefined || (isTrailing && traded === undefined)) return undefined
    const guarded = toPrice(divide(ask * SHORT_PERCENT, 100n, 'up'))
    return estimateFrom(max(guarded, limit ?? stop ?? guarded), quote, traded)
  }
  if (limit !== undefined) return { reserve: limit }
  if (stop !== undefined) return { reserve: side === 'buy' ? buyStopMax(stop) : stop }
  if (isTrailing) {
    const traded = prices.trade(symbol)?.price
    return traded === undefined
      ? undefined
      : estimateFrom(trailingStopPrice(side, traded, terms), undefined, traded)
  }
  return atMarket(prices, phase, terms)
}

/**
 * In regular hours the far side of the quote, in extended hours its midpoint, and while closed the last
 * trade.
 */
function atMarket(
  prices: Moment['prices'],
  phase: TradingPhase,
  { symbol, side }: OrderTerms,
): PriceEstimate | undefined {
  const traded = phase === 'closed' ? prices.trade(symbol)?.price : undefined
  const quote = traded === undefined ? prices.quote(symbol) : undefined
  if (!quote) {
    const last = traded ?? prices.trade(symbol)?.price
    return last === undefined ? undefined : estimateFrom(last, undefined, last)
  }
  if (phase === 'extended')
    return estimateFrom(toPrice(divide(quote.bid + quote.ask, 2n, 'up')), quote, undefined)
  return estimateFrom(side === 'buy' ? quote.ask : quote.bid, quote, undefined)
}

const estimateFrom = (reserve: Price, quote: Quote | undefined, traded: Price | undefined): PriceEstimate =>
  traded === undefined
    ? quote
      ? { reserve, quote }
      : { reserve }
    : quote
      ? { reserve, quote, traded }
      : { reserve, traded }

/** The price that an order is expected to get. For a short it is lower than the price that the check reserves. */
export const expectedPrice = (
  moment: Pick<Moment, 'prices'>,
  phase: TradingPhase,
  terms: OrderTerms,
  intent: PositionIntent,
): Price | undefined =>
  estimatePrice(moment, phase, terms, intent === 'sellToOpen' ? 'sellToClose' : intent)?.reserve

/** The quantity an amount of money buys: nine decimals, rounded down. */
export const quantityFor = (notional: Money, price: Price): Quantity =>
  toQuantity(divide(notional * UNIT, price, 'down'))
