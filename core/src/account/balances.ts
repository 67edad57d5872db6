import { add, type Money, max, min, NO_MONEY, share, subtract, toMoney } from '../amount.ts'
import type { AccountId } from '../ids.ts'
import { customer, USD } from '../ledger/chart.ts'
import { balance } from '../ledger/ledger.ts'
import { found } from '../result.ts'
import type { View } from '../state/state.ts'
import type { Account } from './account.ts'
import { configOf } from './config.ts'
import { inCents, totalOf } from './fees/fees.ts'
import { INITIAL_PERCENT } from './margin.ts'
import {
  type PositionTotals,
  type PricesAndTerms,
  positionTotalsOf,
  type Worth,
} from './positions/position-totals.ts'

/** Balances, margin and buying power of an account at the prices of one instant. */
export type AccountBalances = Omit<Worth, 'account' | 'fullyPaid' | 'power'> & {
  readonly initialMargin: Money
  /** Money held by open orders. */
  readonly held: Money
  /**
   * Regulatory fees since the last close. They are booked at the next close and do not reduce cash until
   * then.
   */
  readonly accruedFees: Money
  readonly buyingPower: Money
  readonly regTBuyingPower: Money
  readonly nonMarginableBuyingPower: Money
  readonly optionsBuyingPower: Money
  /** Equity above the initial margin, ignoring holds. */
  readonly specialMemorandum: Money
  readonly mayShort: boolean
}

/** Minimum equity for margin. */
export const MARGIN_MIN = toMoney(2_000_000_000_000n)
/**
 * A symbol above this part of all stocks, with at least this much debt, has a higher maintenance percentage.
 */
const CONCENTRATION = { part: 70n, whole: 100n, debt: toMoney(100_000_000_000_000n), percent: 50n }
const RESTRICTED_TIMES = 6n

export function balancesOf(view: View, market: PricesAndTerms, accountId: AccountId): AccountBalances {
  const worth = worthOfAccount(view, market, found(view.accounts.get(accountId), accountId))
  const { account: _, fullyPaid: __, power: ___, ...shown } = worth
  const held = heldOf(view, accountId)
  const accrued = view.fees.get(accountId)
  return {
    ...shown,
    initialMargin: initialMarginOf(worth),
    held,
    accruedFees: accrued ? totalOf(inCents(accrued)) : NO_MONEY,
    ...powersOf(view, worth),
    specialMemorandum: spareOf(worth),
    mayShort: mayShort(worth),
  }
}

type Powers = Pick<
  AccountBalances,
  'buyingPower' | 'regTBuyingPower' | 'nonMarginableBuyingPower' | 'optionsBuyingPower'
>

/** With an open margin call, an account has no buying power. */
function powersOf(view: View, worth: Worth): Powers {
  const { id } = worth.account
  if (view.marginCalls.has(id)) return NO_POWERS
  const held = heldOf(view, id)
  const spare = spareOf(worth)
  const regT = worth.multiplier === 1 ? spendableCash(worth) : toMoney(2n * spare)
  return {
    buyingPower: buyingPowerIn(view, worth),
    regTBuyingPower: afterHolds(held, regT),
    nonMarginableBuyingPower: nonMarginableIn(view, worth),
    optionsBuyingPower: afterHolds(held, spare),
  }
}

const NO_POWERS: Powers = {
  buyingPower: NO_MONEY,
  regTBuyingPower: NO_MONEY,
  nonMarginableBuyingPower: NO_MONEY,
  optionsBuyingPower: NO_MONEY,
}

/** The values that opening orders check. */
export const worthOfAccount = (view: View, market: PricesAndTerms, account: Account): Worth =>
  worthIn(account, cashOf(view, account.id), positionTotalsOf(view.positions.get(account.id), market))

function worthIn(account: Account, cash: Money, sums: PositionTotals): Worth {
  const { longValue, shortValue, fullyPaid } = sums
  const equity = toMoney(cash + longValue + shortValue)
  const worth = {
    account,
    cash,
    longValue,
    shortValue,
    equity,
    fullyPaid,
    maintenanceMargin: add(sums.maintenance, concentrationMargin(cash, sums)),
    isRestricted: isTooLarge(sums, equity),
    multiplier: multiplierOf(account, equity),
  }
  return { ...worth, power: powerOf(worth) }
}

/** Additional maintenance margin for a concentrated position. */
function concentrationMargin(cash: Money, { rows }: PositionTotals): Money {
  const { part, whole, debt, percent } = CONCENTRATION
  if (cash > -debt) return NO_MONEY
  const onMargin = rows.filter((row) => row.percent < 100n && row.value > 0n)
  const all = onMargin.reduce((sum, { value }) => sum + value, 0n)
  const concentrated = onMargin.find(({ value }) => value * whole >= all * part)
  if (!concentrated) return NO_MONEY
  const { value, maintenance } = concentrated
  return max(subtract(share(value, percent, 100n, 'up'), maintenance), NO_MONEY)
}

/** Checks the sum first: if all positions together are below the limit, each one is. */
function isTooLarge({ rows, longValue, shortValue }: PositionTotals, equity: Money): boolean {
  const limit = RESTRICTED_TIMES * max(equity, NO_MONEY)
  return longValue - shortValue > limit && rows.some(({ value }) => value > limit || -value > limit)
}

const multiplierOf = (account: Account, equity: Money): 1 | 2 | 4 =>
  equity < MARGIN_MIN ? 1 : configOf(account).maxMarginMultiplier

function initialMarginOf({ longValue, shortValue, fullyPaid }: WorthBeforePower): Money {
  const onMargin = toMoney(longValue - fullyPaid - shortValue)
  return add(share(onMargin, INITIAL_PERCENT, 100n, 'up'), fullyPaid)
}

type WorthBeforePower = Omit<Worth, 'power'>

const spareOf = (worth: WorthBeforePower): Money =>
  max(subtract(worth.equity, initialMarginOf(worth)), NO_MONEY)

/** Cash that remains after covering every short, as far as margin does not require it. */
function spendableCash({ cash, shortValue, equity, maintenanceMargin }: WorthBeforePower): Money {
  const spendable = min(cash + shortValue, equity - maintenanceMargin)
  return toMoney(max(spendable, 0n))
}

/** Buying power minus the holds of open orders. */
const afterHolds = (held: Money, power: Money): Money => max(subtract(power, held), NO_MONEY)

const heldOf = (view: View, accountId: AccountId): Money => view.holds.get(accountId)?.money ?? NO_MONEY

export const buyingPowerIn = (view: View, { account, power }: Worth): Money =>
  afterHolds(heldOf(view, account.id), power)

/**
 * Buying power by multiplier. 1: cash. 2: twice the equity above the initial margin. 4: four times the equity
 * minus the gross exposure, with non-marginable assets counted in full. House and concentration rates affect
 * only the maintenance margin.
 */
function powerOf(worth: WorthBeforePower): Money {
  const { multiplier, equity, longValue, shortValue, fullyPaid } = worth
  if (multiplier === 1) return spendableCash(worth)
  if (multiplier === 2) return toMoney(2n * spareOf(worth))
  const onMargin = longValue - fullyPaid - shortValue
  return max(toMoney(4n * (equity - fullyPaid) - onMargin), NO_MONEY)
}

/**
 * Buying power for non-marginable assets: settled cash, minus unsettled debts and the cost of covering
 * shorts.
 */
export function nonMarginableIn(view: View, worth: Worth): Money {
  const { id } = worth.account
  const unsettled = balance(view.ledger, customer(id, 'unsettled'), USD)
  const settled = max(toMoney(worth.cash - max(unsettled, 0n)), NO_MONEY)
  return afterHolds(heldOf(view, id), min(settled, spendableCash(worth)))
}

export const mayShort = ({ account, multiplier }: Worth): boolean =>
  multiplier > 1 && !configOf(account).noShorting

/** All cash, settled or not. The account shows this value, and margin uses it. */
export const cashOf = (view: View, accountId: AccountId): Money =>
  toMoney(
    balance(view.ledger, customer(accountId, 'settled'), USD) +
      balance(view.ledger, customer(accountId, 'unsettled'), USD),
  )
