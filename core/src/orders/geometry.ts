import { CENT, format, type Price } from '../amount.ts'
import type { Side } from './order.ts'
import type { OrderTerms } from './terms.ts'

type Bound = 'above' | 'below'

export type GeometryRefusal =
  /** The market has already passed the stop. */
  | { readonly code: 'stopBeyondMarket'; readonly bound: Bound }
  | { readonly code: 'trailPriceTooLarge' }
  | { readonly code: 'exitsCrossed'; readonly bound: Bound }
  | {
      readonly code: 'exitTooNear'
      readonly field: 'takeProfitLimit' | 'stopLossStop'
      readonly bound: Bound
      readonly basePrice: string
    }

/** Checks that an order's prices are consistent with each other and with the last trade, if known. */
export function geometryFault(terms: OrderTerms, traded: Price | undefined): GeometryRefusal | undefined {
  const { side, stop } = terms
  if (stop !== undefined && traded !== undefined && !isBeyond(side, stop, traded))
    return { code: 'stopBeyondMarket', bound: side === 'sell' ? 'below' : 'above' }
  if (terms.trailPrice !== undefined && traded !== undefined && side === 'sell' && terms.trailPrice >= traded)
    return { code: 'trailPriceTooLarge' }
  return terms.class && groupGeometry(terms, traded)
}

/** A sell stop must be below the market, a buy stop above it. */
const isBeyond = (side: Side, stop: Price, traded: Price): boolean =>
  side === 'sell' ? stop < traded : stop > traded

function groupGeometry(terms: OrderTerms, traded: Price | undefined): GeometryRefusal | undefined {
  const { side, limit, takeProfit, stopLoss } = terms
  const isExit = terms.class === 'oco'
  const exit: Side = isExit === (side === 'sell') ? 'sell' : 'buy'
  const profit = isExit ? limit : takeProfit?.limit
  const crossed = exitsFault(exit, profit, stopLoss?.stop)
  if (crossed) return crossed
  // A take-profit is compared with the price at which its entry may be filled; in an OCO there is no entry.
  const entry = isExit ? undefined : (limit ?? traded)
  const nearProfit =
    profit !== undefined && entry !== undefined && nearFault(exit, 'takeProfitLimit', profit, entry)
  if (nearProfit) return nearProfit
  const base = nearest(exit, isExit ? profit : limit, traded)
  return stopLoss && base !== undefined ? nearFault(exit, 'stopLossStop', stopLoss.stop, base) : undefined
}

/** A sell's take-profit must be above its stop, a buy's below it. */
function exitsFault(
  exit: Side,
  profit: Price | undefined,
  stop: Price | undefined,
): GeometryRefusal | undefined {
  if (profit === undefined || stop === undefined) return undefined
  if (exit === 'sell') return profit > stop ? undefined : { code: 'exitsCrossed', bound: 'above' }
  return profit < stop ? undefined : { code: 'exitsCrossed', bound: 'below' }
}

/** Prices of a group's open members. */
export type MemberPrices = {
  readonly entry?: Price | undefined
  readonly profit?: Price | undefined
  readonly stop?: Price | undefined
}

/** Exits must keep a distance from each other and from their entry. */
export function membersFault(exit: Side, { entry, profit, stop }: MemberPrices): GeometryRefusal | undefined {
  const crossed = exitsFault(exit, profit, stop)
  if (crossed || entry === undefined) return crossed
  return (
    (profit === undefined ? undefined : nearFault(exit, 'takeProfitLimit', profit, entry)) ??
    (stop === undefined ? undefined : nearFault(exit, 'stopLossStop', stop, entry))
  )
}

/** The base closest to a stop: the lowest for a sell, the highest for a buy. */
function nearest(exit: Side, one: Price | undefined, other: Price | undefined): Price | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other === (exit === 'sell') ? one : other
}

/** A sell's take-profit is at least a cent above its base and its stop below; for a buy it is the opposite. */
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
