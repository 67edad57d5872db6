import {
  type Money,
  NO_MONEY,
  negate,
  type Price,
  share,
  sizeOf,
  toMoney,
  toPrice,
  UNIT,
  worthOf,
} from '../../amount.ts'
import type { Ticker } from '../../ids.ts'
import type { MarginTerms } from '../../market/assets/asset.ts'
import type { Prices, PriceValidity } from '../../market/prices.ts'
import { EPOCH, type Instant } from '../../time.ts'
import type { Account, Position } from '../account.ts'
import { builtInPercent, longPercent, minimumPercent, shortMaintenance } from '../margin.ts'

/** A position valued at one price. */
export type Row = {
  readonly position: Position
  readonly price: Price | undefined
  /** Negative for a short. */
  readonly value: Money
  readonly maintenance: Money
  /** Minimum maintenance percentage at any price; 100 for non-marginable assets. */
  readonly percent: bigint
}

/** Prices and margin terms at one instant. */
export type PricesAndTerms = {
  readonly prices: Prices
  asset(symbol: Ticker): MarginTerms | undefined
}

/** Totals over an account's positions. */
export type PositionTotals = {
  readonly rows: Row[]
  longValue: Money
  shortValue: Money
  /** The absolute value of the non-marginable positions. */
  fullyPaid: Money
  maintenance: Money
  /** Values derived from these totals; undefined when a total has changed. */
  worth: Worth | undefined
}

/** Account values before holds; buying power is derived from them. */
export type Worth = {
  readonly account: Account
  readonly cash: Money
  readonly longValue: Money
  /** Zero or negative. */
  readonly shortValue: Money
  readonly equity: Money
  /** The absolute value of the non-marginable positions. */
  readonly fullyPaid: Money
  readonly maintenanceMargin: Money
  /** One position exceeds six times the equity: only closing orders are accepted. */
  readonly isRestricted: boolean
  readonly multiplier: 1 | 2 | 4
  /** Buying power before holds. */
  readonly power: Money
}

/** Cached totals. For one price course, all prices are known to be valid within a time span. */
type CachedTotals = PositionTotals & {
  course: object | undefined
  from: Instant
  until: Instant
  /** End of each price's validity, in the order of the rows. */
  readonly untils: Instant[]
  /** Symbols whose positions have changed since. */
  readonly changed: Ticker[]
}

/**
 * Every opening order needs these totals, so they are cached. Only positions with a new price or quantity are
 * recalculated. While all prices are known to be valid, none is read. Measured with twenty positions: 10 µs
 * to recalculate all, 2 µs to compare all prices.
 */
const cache = new WeakMap<ReadonlyMap<Ticker, Position>, CachedTotals>()

export function positionTotalsOf(
  positions: ReadonlyMap<Ticker, Position> | undefined,
  market: PricesAndTerms,
): PositionTotals {
  if (!positions) return noTotals()
  let sums = cache.get(positions)
  const { prices } = market
  const { validity } = prices
  if (sums && validity && isCurrent(sums, validity) && refreshChanged(sums, positions)) return sums
  if (sums?.rows.length !== positions.size) cache.set(positions, (sums = noTotals()))
  refreshAll(sums, positions, market, prices)
  return sums
}

/** Marks a position as changed or deleted. */
export function markChanged(positions: ReadonlyMap<Ticker, Position>, symbol: Ticker): void {
  const sums = cache.get(positions)
  if (!sums || sums.course === undefined || sums.changed.includes(symbol)) return
  if (sums.changed.length < CHANGED_MAX) sums.changed.push(symbol)
  else sums.course = undefined
}

/** With more changes, all positions are read again. */
const CHANGED_MAX = 8

const isCurrent = ({ course, from, until }: CachedTotals, validity: PriceValidity): boolean =>
  course === validity.course && validity.at >= from && validity.at < until

/** Recalculates the changed positions at their known price. False if a position was added or deleted. */
function refreshChanged(sums: CachedTotals, positions: ReadonlyMap<Ticker, Position>): boolean {
  const { rows, changed } = sums
  if (rows.length !== positions.size) return false
  for (let symbol = changed.pop(); symbol !== undefined; symbol = changed.pop()) {
    const index = rows.findIndex(({ position }) => position.symbol === symbol)
    const position = positions.get(symbol)
    if (index < 0 || !position) return false
    const { price, percent } = rows[index]!
    setRow(sums, index, rowOf(position, price, percent))
  }
  return true
}

function refreshAll(
  sums: CachedTotals,
  positions: ReadonlyMap<Ticker, Position>,
  market: PricesAndTerms,
  prices: Prices,
): void {
  const { validity } = prices
  const isSameCourse = validity !== undefined && sums.course === validity.course && validity.at >= sums.from
  let until: Instant | undefined
  let index = 0
  for (const position of positions.values()) {
    const row = sums.rows[index]
    const validUntil = sums.untils[index]
    if (
      !isSameCourse ||
      row?.position !== position ||
      validUntil === undefined ||
      validity.at >= validUntil
    ) {
      const price = markOf(prices, position.symbol)
      const percent = percentOf(market, position.symbol)
      if (row?.position !== position || row.price !== price || row.percent !== percent)
        setRow(sums, index, rowOf(position, price, percent))
      if (validity) sums.untils[index] = validity.tradeUntil(position.symbol)
    }
    const rowUntil = sums.untils[index]
    if (rowUntil !== undefined && (until === undefined || rowUntil < until)) until = rowUntil
    index += 1
  }
  sums.course = validity?.course
  sums.from = validity?.at ?? NEVER
  sums.until = until ?? NEVER
  sums.changed.length = 0
}

const NEVER = EPOCH

const noTotals = (): CachedTotals => ({
  rows: [],
  longValue: NO_MONEY,
  shortValue: NO_MONEY,
  fullyPaid: NO_MONEY,
  maintenance: NO_MONEY,
  worth: undefined,
  course: undefined,
  from: NEVER,
  until: NEVER,
  untils: [],
  changed: [],
})

function setRow(sums: PositionTotals, index: number, row: Row): void {
  const before = sums.rows[index]
  if (before) add(sums, before, -1n)
  add(sums, row, 1n)
  sums.rows[index] = row
  sums.worth = undefined
}

function add(sums: PositionTotals, { value, maintenance, percent }: Row, sign: 1n | -1n): void {
  if (value < 0n) sums.shortValue = toMoney(sums.shortValue + sign * value)
  else sums.longValue = toMoney(sums.longValue + sign * value)
  if (percent === 100n) sums.fullyPaid = toMoney(sums.fullyPaid + sign * sizeOf(value))
  sums.maintenance = toMoney(sums.maintenance + sign * maintenance)
}

function rowOf(position: Position, mark: Price | undefined, percent: bigint): Row {
  const { quantity } = position
  const value = marketValue(position, mark)
  const price = mark ?? entryPrice(position)
  const maintenance =
    quantity < 0n
      ? shortMaintenance(percent, price, negate(quantity))
      : share(value, longPercent(percent, price), 100n, 'up')
  return { position, price: mark, value, maintenance, percent }
}

function percentOf(market: PricesAndTerms, symbol: Ticker): bigint {
  const asset = market.asset(symbol)
  return asset ? minimumPercent(asset) : builtInPercent(symbol)
}

/** The mark price of a position: the last trade, which exists at any hour. */
export const markOf = (prices: Prices, symbol: Ticker): Price | undefined => prices.trade(symbol)?.price

/** Without a price, a position counts at its cost. */
export const marketValue = (position: Position, mark: Price | undefined): Money =>
  mark === undefined ? position.costBasis : worthOf(mark, position.quantity, 'down')

const entryPrice = ({ costBasis, quantity }: Position): Price => toPrice((costBasis * UNIT) / quantity)
