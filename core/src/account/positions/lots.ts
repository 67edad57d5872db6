import {
  add,
  type Money,
  min,
  NO_MONEY,
  NO_QUANTITY,
  type Quantity,
  sizeOf,
  subtract,
  toMoney,
  toQuantity,
} from '../../amount.ts'
import type { CivilDate } from '../../civil-date.ts'
import type { Lot, Lots, Position } from '../account.ts'

/**
 * Beyond this number the two oldest lots are merged, so that memory does not grow with the age of a position.
 */
const LOTS_MAX = 250

/**
 * The position at the start of a day. Within a day, a sale reduces the cost by the average. On the next day,
 * that day's purchases become one lot, and its sales consume the oldest lots first (compressed FIFO).
 */
export function onDay(position: Position, day: CivilDate): Position {
  if (!position.lots || position.lots.day === day) return position
  const { lots, ...rest } = position
  const held = withoutOldest([...lots.held, { quantity: lots.bought, cost: lots.cost }], lots.sold)
  const costBasis = held.reduce((sum, { cost }) => add(sum, cost), NO_MONEY)
  return withLots({ ...rest, costBasis }, { ...NO_TRADES, day, held: mergeBeyondMax(held) })
}

const NO_TRADES = { bought: NO_QUANTITY, cost: NO_MONEY, sold: NO_QUANTITY }

/** What a part of a position cost. The remaining cost is rounded, so that both parts add up exactly. */
export function costOfPart({ quantity, costBasis }: Position, part: Quantity): Money {
  const remaining = (costBasis * subtract(quantity, part)) / quantity
  return subtract(costBasis, toMoney(remaining))
}

/** The lots after a trade; `before` is the position at the start of that day. */
export function lotsAfter(
  before: Position | undefined,
  day: CivilDate,
  trade: { readonly bought: Quantity; readonly cost: Money } | { readonly sold: Quantity },
): Lots | undefined {
  const lots = before ? lotsOn(before, day) : { ...NO_TRADES, day, held: [] }
  return neededLots(
    'sold' in trade
      ? { ...lots, sold: add(lots.sold, trade.sold) }
      : { ...lots, bought: add(lots.bought, trade.bought), cost: add(lots.cost, trade.cost) },
  )
}

/** The lots after a corporate action; each lot is scaled like the position. */
export function scaledLots(before: Position, after: Lot, day: CivilDate): Lots | undefined {
  const { lots, quantity, costBasis } = before
  if (!lots || lots.bought !== NO_QUANTITY || lots.sold !== NO_QUANTITY || costBasis === NO_MONEY)
    return undefined
  let rest = after
  const held = lots.held.map((lot, row): Lot => {
    if (row === lots.held.length - 1) return rest
    const scaled = {
      quantity: toQuantity((lot.quantity * after.quantity) / quantity),
      cost: toMoney((lot.cost * after.cost) / costBasis),
    }
    rest = { quantity: subtract(rest.quantity, scaled.quantity), cost: subtract(rest.cost, scaled.cost) }
    return scaled
  })
  return neededLots({ ...NO_TRADES, day, held })
}

function lotsOn({ lots, today, quantity, costBasis }: Position, day: CivilDate): Lots {
  if (lots) return lots
  return today?.day === day && today.quantity === quantity
    ? { day, held: [], bought: quantity, cost: costBasis, sold: NO_QUANTITY }
    : { ...NO_TRADES, day, held: [{ quantity, cost: costBasis }] }
}

/** Undefined for a single lot, which is the usual case. */
function neededLots(lots: Lots): Lots | undefined {
  const parts = lots.held.length + (lots.bought === NO_QUANTITY ? 0 : 1)
  return parts > 1 || lots.sold !== NO_QUANTITY ? lots : undefined
}

export function withLots(position: Omit<Position, 'lots'>, lots: Lots | undefined): Position {
  const stored = lots && neededLots(lots)
  return stored ? { ...position, lots: stored } : position
}

/** The lots that remain after selling from the oldest first. The remaining cost is rounded towards zero. */
function withoutOldest(lots: readonly Lot[], sold: Quantity): readonly Lot[] {
  let toConsume: bigint = sizeOf(sold)
  return lots.flatMap((lot) => {
    const size = sizeOf(lot.quantity)
    const consumed = min<bigint>(toConsume, size)
    toConsume -= consumed
    if (consumed === size) return []
    if (consumed === 0n) return [lot]
    const quantity = toQuantity((lot.quantity * (size - consumed)) / size)
    return [{ quantity, cost: toMoney((lot.cost * (size - consumed)) / size) }]
  })
}

function mergeBeyondMax(lots: readonly Lot[]): readonly Lot[] {
  const [first, second, ...rest] = lots
  if (lots.length <= LOTS_MAX || !first || !second) return lots
  return [{ quantity: add(first.quantity, second.quantity), cost: add(first.cost, second.cost) }, ...rest]
}
