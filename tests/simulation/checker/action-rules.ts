import type { CorporateAction, Order } from '@quipu/core'
import { cents, size } from './rules.ts'

// Rules for splits, dividends, symbol changes and delistings, implemented without code of the core.

const NANO = 1_000_000_000n
const CENT = 10_000_000n

type Rounding = 'up' | 'down'
const ratio = (value: bigint, by: bigint, rounding: Rounding): bigint =>
  rounding === 'up' ? (value + by - 1n) / by : value / by

/** The shares of an account in a symbol: settled, and to settle by date. */
export type Holding = {
  readonly owned: bigint
  readonly cost: bigint
  readonly settled: bigint
  readonly toSettle: readonly (readonly [string, bigint])[]
}

export type Changed = Holding & {
  readonly symbol: string
  /** Cash paid for shares that no longer exist; negative for a short position. */
  readonly cash: bigint
}

/** A holding after an action. `last` is the price of a share after a split. */
export function holdingAfter(action: CorporateAction, had: Holding, last: bigint | undefined): Changed {
  const { symbol } = action
  switch (action.kind) {
    case 'dividend':
      return { ...had, symbol, cash: 0n }
    case 'symbolChange':
      return { ...had, symbol: action.newSymbol, cash: 0n }
    case 'delisting': {
      const none = had.toSettle.map(([date]) => [date, 0n] as const)
      return { owned: 0n, cost: 0n, settled: 0n, toSettle: none, symbol, cash: paid(action.price, had.owned) }
    }
    case 'split': {
      const convert = (shares: bigint): bigint => (shares * action.newRate) / action.oldRate
      const all = convert(had.owned)
      const isWhole = action.newRate < action.oldRate || had.owned < 0n
      const owned = isWhole ? all - (all % NANO) : all
      const cost = all === 0n ? 0n : (had.cost * owned) / all
      return { symbol, owned, cost, cash: paid(last, all - owned), ...parts(had, convert, owned) }
    }
  }
}

/** Whole cents: rounded down for a long position, up for a short one. */
function paid(price: bigint | undefined, shares: bigint): bigint {
  if (price === undefined) return 0n
  return shares < 0n ? -cents(price, -shares, 'buy') : cents(price, shares, 'sell')
}

/** Converts each settlement part like the whole; the largest part takes the rounding difference. */
function parts(had: Holding, convert: (shares: bigint) => bigint, owned: bigint) {
  const amounts = [had.settled, ...had.toSettle.map(([, shares]) => shares)].map(convert)
  const rest = owned - amounts.reduce((sum, part) => sum + part, 0n)
  const largest = amounts.map(size).reduce((a, b) => (a > b ? a : b))
  const index = amounts.findIndex((part) => size(part) === largest)
  amounts[index] = amounts[index]! + rest
  return { settled: amounts[0]!, toSettle: had.toSettle.map(([date], n) => [date, amounts[n + 1]!] as const) }
}

/** A dividend, rounded to the nearest cent, half a cent up. */
export function dividendOn(rate: bigint, shares: bigint): bigint {
  const exact = rate * size(shares)
  const rounded = ((2n * exact + NANO * CENT) / (2n * NANO * CENT)) * CENT
  return shares < 0n ? -rounded : rounded
}

/** The fields of an open order that an action may change. */
export type Open = {
  readonly accepted: Order
  readonly quantity: bigint
  readonly filled: bigint
  readonly stop: bigint | undefined
  readonly isElected: boolean
}
export type Restated = {
  readonly symbol: string
  readonly quantity: bigint
  readonly limit: bigint | undefined
  readonly stop: bigint | undefined
  readonly reserve: bigint
}

/** An open order after an action; undefined if the action does not change it. */
export function orderAfter(action: CorporateAction, open: Open): Restated | 'canceled' | undefined {
  const { accepted, quantity, stop } = open
  const { limit, reserve } = accepted
  switch (action.kind) {
    case 'delisting':
      return 'canceled'
    case 'symbolChange':
      return { symbol: action.newSymbol, quantity, limit, stop, reserve }
    case 'dividend':
      return lowered(action.rate, open)
    case 'split':
      return action.newRate < action.oldRate ? 'canceled' : multiplied(action, open)
  }
}

/** More shares at a lower price, rounded so that the order does not become more aggressive. */
function multiplied(
  { newRate, oldRate }: CorporateAction & { kind: 'split' },
  { accepted, quantity, filled, stop }: Open,
): Restated {
  const { symbol, limit, reserve, side } = accepted
  const unfilled = quantity - filled
  const more = (unfilled * newRate) / oldRate
  const smaller = (price: bigint, rounding: Rounding): bigint =>
    allowed(ratio(price * oldRate, newRate, rounding), rounding)
  const after = limit && smaller(limit, side === 'buy' ? 'down' : 'up')
  return {
    symbol,
    quantity: filled + (unfilled % NANO === 0n ? more - (more % NANO) : more),
    limit: after,
    stop: stop && smaller(stop, side === 'buy' ? 'up' : 'down'),
    reserve: after !== undefined && reserve === limit ? after : ratio(reserve * oldRate, newRate, 'up'),
  }
}

/** Lowers the prices of gtc limit buys and sell stops, which the drop on the ex-date would trigger. */
function lowered(rate: bigint, open: Open): Restated | 'canceled' | undefined {
  const { accepted, quantity, stop, isElected } = open
  const { symbol, limit, reserve, side, timeInForce } = accepted
  const isAffected =
    side === 'buy' ? limit !== undefined && stop === undefined : stop !== undefined && !isElected
  if (timeInForce !== 'gtc' || !isAffected) return undefined
  if ((limit !== undefined && limit <= rate) || (stop !== undefined && stop <= rate)) return 'canceled'
  const after = limit && allowed(limit - rate, 'down')
  return {
    symbol,
    quantity,
    limit: after,
    stop: stop && allowed(stop - rate, 'down'),
    reserve: after !== undefined && reserve === limit ? after : reserve,
  }
}

/** Rounds to whole cents from one dollar, to hundredths of a cent below, and never to zero. */
function allowed(price: bigint, rounding: Rounding): bigint {
  const step = price >= NANO ? CENT : CENT / 100n
  const rounded = ratio(price, step, rounding) * step
  return rounded > step ? rounded : step
}
