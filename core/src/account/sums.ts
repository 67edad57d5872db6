import { type Money, NO_MONEY, type Price, type Quantity, share, UNIT, worthOf } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import type { Prices } from '../market/prices.ts'
import type { Position } from './account.ts'
import { isMarginable, longPercent, shortMaintenance } from './margin.ts'

/** A position in money at one price. */
export type Row = {
  readonly position: Position
  readonly price: Price | undefined
  /** Negative for a short. */
  readonly value: Money
  readonly maintenance: Money
  readonly isMarginable: boolean
}

/** What an account's positions come to. */
export type Sums = {
  readonly rows: Row[]
  longValue: Money
  shortValue: Money
  /** Of what is long, the part that has no margin. */
  fullyPaid: Money
  maintenance: Money
}

/**
 * Every order that opens asks for these sums. They are kept, and only what has another price or is another position
 * since the last time is reckoned again. Measured with twenty positions: 10 µs for all of them, 2 µs where one changed.
 */
const kept = new WeakMap<ReadonlyMap<Ticker, Position>, Sums>()

export function sumsOf(positions: ReadonlyMap<Ticker, Position> | undefined, prices: Prices): Sums {
  if (!positions) return nothing()
  let sums = kept.get(positions)
  if (sums?.rows.length !== positions.size) kept.set(positions, (sums = nothing()))
  let index = 0
  for (const position of positions.values()) {
    const price = markOf(prices, position.symbol)
    const row = sums.rows[index]
    if (row?.position !== position || row.price !== price) put(sums, index, rowOf(position, price))
    index += 1
  }
  return sums
}

const nothing = (): Sums => ({
  rows: [],
  longValue: NO_MONEY,
  shortValue: NO_MONEY,
  fullyPaid: NO_MONEY,
  maintenance: NO_MONEY,
})

function put(sums: Sums, index: number, row: Row): void {
  const before = sums.rows[index]
  if (before) add(sums, before, -1n)
  add(sums, row, 1n)
  sums.rows[index] = row
}

function add(sums: Sums, { value, maintenance, isMarginable: hasMargin }: Row, sign: 1n | -1n): void {
  if (value < 0n) sums.shortValue = (sums.shortValue + sign * value) as Money
  else sums.longValue = (sums.longValue + sign * value) as Money
  if (!hasMargin) sums.fullyPaid = (sums.fullyPaid + sign * value) as Money
  sums.maintenance = (sums.maintenance + sign * maintenance) as Money
}

function rowOf(position: Position, mark: Price | undefined): Row {
  const { symbol, quantity } = position
  const value = marketValue(position, mark)
  const price = mark ?? entryPrice(position)
  const maintenance =
    quantity < 0n
      ? shortMaintenance(symbol, price, -quantity as Quantity)
      : share(value, longPercent(symbol, price), 100n, 'up')
  return { position, price: mark, value, maintenance, isMarginable: isMarginable(symbol) }
}

/** The price a position is marked at: the last trade, which is there at any hour. */
export const markOf = (prices: Prices, symbol: Ticker): Price | undefined => prices.trade(symbol)?.price

/** Without a price a position counts with what was paid for it. */
export const marketValue = (position: Position, mark: Price | undefined): Money =>
  mark === undefined ? position.costBasis : worthOf(mark, position.quantity, 'down')

const entryPrice = ({ costBasis, quantity }: Position): Price => ((costBasis * UNIT) / quantity) as Price
