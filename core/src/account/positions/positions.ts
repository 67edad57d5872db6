import { schedule } from '../../agenda.ts'
import {
  add,
  type Money,
  NO_MONEY,
  NO_QUANTITY,
  negate,
  type Quantity,
  sizeOf,
  subtract,
  toMoney,
} from '../../amount.ts'
import { type CivilDate, dateOf } from '../../civil-date.ts'
import type { AccountId, Ticker } from '../../ids.ts'
import { isPair } from '../../market/assets/asset.ts'
import { nextSession, session } from '../../market/calendar.ts'
import type { OrderFilled } from '../../orders/events.ts'
import { settlingInstant } from '../../orders/session.ts'
import type { State } from '../../state/state.ts'
import { epochSeconds, type Instant, newYorkDate } from '../../time.ts'
import type { Position, Unsettled } from '../account.ts'
import { accrue } from '../fees/fees.ts'
import { addShares } from './holdings.ts'
import { lotsAfter, onDay } from './lots.ts'

/** Books a fill: the position, the unsettled amounts (crypto settles immediately) and the accrued fees. */
export function bookFill(state: State, event: OrderFilled, side: 'buy' | 'sell'): void {
  const { accountId, symbol, positionAfter: after, cash } = event
  const positions = positionsOf(state, accountId)
  const held = positions.get(symbol)
  const before = held ? held.quantity : NO_QUANTITY
  const quantity = subtract(after, before)
  const isOpening = sizeOf(after) > sizeOf(before)
  const owed = negate(cash)
  const cost = isOpening ? (side === 'buy' ? cash : owed) : 'average'
  storePosition(positions, held, { symbol, quantity, cost }, dayFor(symbol, state.lastAt))
  if (!isPair(symbol))
    addUnsettled(state, accountId, event.settles, symbol, quantity, side === 'buy' ? owed : cash)
  if (event.fees) accrue(state.fees, accountId, event.fees)
}

/** A signed change of a position. A short has a negative quantity and a negative cost. */
export type PositionChange = {
  readonly symbol: Ticker
  readonly quantity: Quantity
  /** `average`: shares that leave reduce the cost proportionally. */
  readonly cost: Money | 'average'
}

/** Adds a signed change to a position. A position with quantity zero is deleted. */
export function changePosition(state: State, accountId: AccountId, change: PositionChange): void {
  const positions = positionsOf(state, accountId)
  storePosition(positions, positions.get(change.symbol), change, dayFor(change.symbol, state.lastAt))
}

function positionsOf(state: State, accountId: AccountId): Map<Ticker, Position> {
  let positions = state.positions.get(accountId)
  if (!positions) state.positions.set(accountId, (positions = new Map()))
  return positions
}

function storePosition(
  positions: Map<Ticker, Position>,
  before: Position | undefined,
  change: PositionChange,
  day: CivilDate,
): void {
  const after = positionAfter(before, change, day)
  if (after) positions.set(change.symbol, after)
  else positions.delete(change.symbol)
}

/** The position after a change on a day; undefined if nothing is left. */
export function positionAfter(
  before: Position | undefined,
  change: PositionChange,
  day: CivilDate,
): Position | undefined {
  const { symbol } = change
  const current = before && onDay(before, day)
  const held = current ?? NOTHING_HELD
  const quantity = add(held.quantity, change.quantity)
  if (quantity === NO_QUANTITY) return undefined
  const average = () => part(held.costBasis, quantity, held.quantity)
  const isOpening = sizeOf(quantity) > sizeOf(held.quantity)
  const costBasis = change.cost === 'average' ? average() : add(held.costBasis, change.cost)
  const today = todayAfter(current, change, quantity, day)
  const position = today ? { symbol, quantity, costBasis, today } : { symbol, quantity, costBasis }
  // Shares that leave at an explicit cost merge the rest into one lot with the remaining cost.
  if (!isOpening && change.cost !== 'average') return position
  const lots = lotsAfter(current, day, tradeOf(change, isOpening))
  return lots ? { ...position, lots } : position
}

const tradeOf = ({ quantity, cost }: PositionChange, isOpening: boolean) =>
  isOpening ? { bought: quantity, cost: cost === 'average' ? NO_MONEY : cost } : { sold: negate(quantity) }

const NOTHING_HELD = { quantity: NO_QUANTITY, costBasis: NO_MONEY }

/** The part opened today. Sales consume shares held overnight first. */
function todayAfter(
  before: Position | undefined,
  change: PositionChange,
  quantity: Quantity,
  day: CivilDate,
): Position['today'] {
  const today = before && todayOf(before, day)
  const isOpening = !before || sizeOf(quantity) > sizeOf(before.quantity)
  if (isOpening) {
    const cost = change.cost === 'average' ? NO_MONEY : change.cost
    return {
      day,
      quantity: add(today?.quantity ?? NO_QUANTITY, change.quantity),
      cost: add(today?.cost ?? NO_MONEY, cost),
    }
  }
  if (!today || sizeOf(today.quantity) <= sizeOf(quantity)) return today
  return { day, quantity, cost: part(today.cost, quantity, today.quantity) }
}

/** The part of a position opened on this day, if any. */
export const todayOf = ({ today }: Position, day: CivilDate): Position['today'] =>
  today?.day === day ? today : undefined

/**
 * The trading day of a trade. Stocks: the New York trading day, or the next one on days without a session.
 * Crypto: the UTC date.
 */
export function dayFor(symbol: Ticker, at: Instant): CivilDate {
  if (isPair(symbol)) return dateOf(Math.floor(epochSeconds(at) / DAY_SECONDS))
  const date = newYorkDate(at)
  if (latest?.date !== date) latest = { date, day: session(date) ? date : nextSession(date).date }
  return latest.day
}

const DAY_SECONDS = 86_400
/** Cached, because every fill calls it. */
let latest: { readonly date: CivilDate; readonly day: CivilDate } | undefined

const part = (cost: Money, quantity: Quantity, whole: Quantity): Money => toMoney((cost * quantity) / whole)

function addUnsettled(
  state: State,
  accountId: AccountId,
  date: CivilDate,
  symbol: Ticker,
  quantity: Quantity,
  cash: Money,
): void {
  let days = state.unsettled.get(accountId)
  if (!days) state.unsettled.set(accountId, (days = new Map()))
  let sum: Unsettled | undefined = days.get(date)
  if (!sum) {
    schedule(state.agenda, settlingInstant(date), { kind: 'settleAccount', accountId, date })
    days.set(date, (sum = { cash: NO_MONEY, shares: new Map() }))
  }
  sum.cash = add(sum.cash, cash)
  addShares(sum.shares, symbol, quantity)
}
