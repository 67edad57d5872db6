import type { CorporateAction, Order } from '@quipu/core'
import { cents, size } from './rules.ts'

// What the checker knows of splits, dividends, changes of symbol and delistings, in its own words and arithmetic.

const NANO = 1_000_000_000n
const CENT = 10_000_000n

type Rounding = 'up' | 'down'
const ratio = (value: bigint, by: bigint, rounding: Rounding): bigint =>
  rounding === 'up' ? (value + by - 1n) / by : value / by

/** What someone holds of a symbol: settled, and to settle by day. */
export type Holding = {
  readonly owned: bigint
  readonly cost: bigint
  readonly settled: bigint
  readonly toSettle: readonly (readonly [string, bigint])[]
}

export type Changed = Holding & {
  readonly symbol: string
  /** What is paid out for what is no more; less than nothing where a short pays. */
  readonly cash: bigint
}

/** What becomes of shares. `last` is what one costs after a split. */
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
      const become = (shares: bigint): bigint => (shares * action.newRate) / action.oldRate
      const all = become(had.owned)
      const isWhole = action.newRate < action.oldRate || had.owned < 0n
      const owned = isWhole ? all - (all % NANO) : all
      const cost = all === 0n ? 0n : (had.cost * owned) / all
      return { symbol, owned, cost, cash: paid(last, all - owned), ...shared(had, become, owned) }
    }
  }
}

/** Whole cents: less for who gives, more for who owes. */
function paid(price: bigint | undefined, shares: bigint): bigint {
  if (price === undefined) return 0n
  return shares < 0n ? -cents(price, -shares, 'buy') : cents(price, shares, 'sell')
}

/** Each part becomes what the whole does; the largest makes up for what was dropped. */
function shared(had: Holding, become: (shares: bigint) => bigint, owned: bigint) {
  const parts = [had.settled, ...had.toSettle.map(([, shares]) => shares)].map(become)
  const rest = owned - parts.reduce((sum, part) => sum + part, 0n)
  const most = parts.map(size).reduce((a, b) => (a > b ? a : b))
  const place = parts.findIndex((part) => size(part) === most)
  parts[place] = parts[place]! + rest
  return { settled: parts[0]!, toSettle: had.toSettle.map(([date], n) => [date, parts[n + 1]!] as const) }
}

/** A dividend to the nearest cent, a half of one to the larger. */
export function dividendOn(rate: bigint, shares: bigint): bigint {
  const exact = rate * size(shares)
  const whole = ((2n * exact + NANO * CENT) / (2n * NANO * CENT)) * CENT
  return shares < 0n ? -whole : whole
}

/** What the checker keeps of an order, and what an action may change in it. */
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

/** What becomes of an open order; nothing at all where it stays as it is. */
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

/** More shares at a smaller price: no order trades where it would not have traded before. */
function multiplied(
  { newRate, oldRate }: CorporateAction & { kind: 'split' },
  { accepted, quantity, filled, stop }: Open,
): Restated {
  const { symbol, limit, reserve, side } = accepted
  const left = quantity - filled
  const more = (left * newRate) / oldRate
  const smaller = (price: bigint, rounding: Rounding): bigint =>
    allowed(ratio(price * oldRate, newRate, rounding), rounding)
  const after = limit && smaller(limit, side === 'buy' ? 'down' : 'up')
  return {
    symbol,
    quantity: filled + (left % NANO === 0n ? more - (more % NANO) : more),
    limit: after,
    stop: stop && smaller(stop, side === 'buy' ? 'up' : 'down'),
    reserve: after !== undefined && reserve === limit ? after : ratio(reserve * oldRate, newRate, 'up'),
  }
}

/** Orders that are kept for long, and would be met by nothing but the dividend: buys at a limit, stops of sells. */
function lowered(rate: bigint, open: Open): Restated | 'canceled' | undefined {
  const { accepted, quantity, stop, isElected } = open
  const { symbol, limit, reserve, side, timeInForce } = accepted
  const isMet = side === 'buy' ? limit !== undefined && stop === undefined : stop !== undefined && !isElected
  if (timeInForce !== 'gtc' || !isMet) return undefined
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

/** Whole cents from a dollar on, below it hundredths of one, and never nothing. */
function allowed(price: bigint, rounding: Rounding): bigint {
  const step = price >= NANO ? CENT : CENT / 100n
  const rounded = ratio(price, step, rounding) * step
  return rounded > step ? rounded : step
}
