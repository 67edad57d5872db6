import { format, type Price } from '../amount.ts'
import type { Side } from './order.ts'
import type { OrderTerms } from './terms.ts'

type Bound = 'above' | 'below'

export type GeometryRefusal =
  /** A stop that the market has passed already would be no stop. */
  | { readonly code: 'stopBeyondMarket'; readonly bound: Bound }
  | { readonly code: 'trailTooLong' }
  | { readonly code: 'exitsCrossed'; readonly bound: Bound }
  | {
      readonly code: 'exitTooNear'
      readonly field: 'takeProfitLimit' | 'stopLossStop'
      readonly bound: Bound
      readonly basePrice: string
    }

/** What exits must keep from their base at least. */
const CENT = 10_000_000n

/** Whether the prices of an order make sense with one another and with the market, where its last trade is known. */
export function geometryFault(terms: OrderTerms, traded: Price | undefined): GeometryRefusal | undefined {
  const { side, stop } = terms
  if (stop !== undefined && traded !== undefined && !isBeyond(side, stop, traded))
    return { code: 'stopBeyondMarket', bound: side === 'sell' ? 'below' : 'above' }
  if (terms.trailPrice !== undefined && traded !== undefined && side === 'sell' && terms.trailPrice >= traded)
    return { code: 'trailTooLong' }
  return terms.class && groupGeometry(terms, traded)
}

/** A sell stop waits below the market, a buy stop above it. */
const isBeyond = (side: Side, stop: Price, traded: Price): boolean =>
  side === 'sell' ? stop < traded : stop > traded

function groupGeometry(terms: OrderTerms, traded: Price | undefined): GeometryRefusal | undefined {
  const { side, limit, takeProfit, stopLoss } = terms
  const isExit = terms.class === 'oco'
  const exit: Side = isExit === (side === 'sell') ? 'sell' : 'buy'
  const profit = isExit ? limit : takeProfit?.limit
  const crossed = exitsFault(exit, profit, stopLoss?.stop)
  if (crossed) return crossed
  // The take-profit of an entry is measured by where that may be filled; that of two exits stands for itself.
  const entry = isExit ? undefined : (limit ?? traded)
  const nearProfit =
    profit !== undefined && entry !== undefined && nearFault(exit, 'takeProfitLimit', profit, entry)
  if (nearProfit) return nearProfit
  const base = nearest(exit, isExit ? profit : limit, traded)
  return stopLoss && base !== undefined ? nearFault(exit, 'stopLossStop', stopLoss.stop, base) : undefined
}

/** Sells take profit above their stop, buys below it. */
function exitsFault(
  exit: Side,
  profit: Price | undefined,
  stop: Price | undefined,
): GeometryRefusal | undefined {
  if (profit === undefined || stop === undefined) return undefined
  if (exit === 'sell') return profit > stop ? undefined : { code: 'exitsCrossed', bound: 'above' }
  return profit < stop ? undefined : { code: 'exitsCrossed', bound: 'below' }
}

/** Open members of a group by their prices: where the entry may still be filled, where the exits stand. */
export type MemberPrices = {
  readonly entry?: Price | undefined
  readonly profit?: Price | undefined
  readonly stop?: Price | undefined
}

/** Exits keep from one another and from where their entry may be filled. */
export function membersFault(exit: Side, { entry, profit, stop }: MemberPrices): GeometryRefusal | undefined {
  const crossed = exitsFault(exit, profit, stop)
  if (crossed || entry === undefined) return crossed
  return (
    (profit === undefined ? undefined : nearFault(exit, 'takeProfitLimit', profit, entry)) ??
    (stop === undefined ? undefined : nearFault(exit, 'stopLossStop', stop, entry))
  )
}

/** The base a stop is nearest to: the lowest for a sell, the highest for a buy. */
function nearest(exit: Side, one: Price | undefined, other: Price | undefined): Price | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other === (exit === 'sell') ? one : other
}

/** A sell's profit lies above its base and its stop below; with a buy it is the other way. */
function nearFault(
  exit: Side,
  field: 'takeProfitLimit' | 'stopLossStop',
  price: Price,
  base: Price,
): GeometryRefusal | undefined {
  const bound: Bound = (field === 'takeProfitLimit') === (exit === 'sell') ? 'above' : 'below'
  const isFar = bound === 'above' ? price >= base + CENT : price <= base - CENT
  return isFar ? undefined : { code: 'exitTooNear', field, bound, basePrice: format(base) }
}
