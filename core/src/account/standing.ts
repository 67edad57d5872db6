import { type Money, max, NO_MONEY, type Price, type Quantity, share, subtract, worthOf } from '../amount.ts'
import type { AccountId, Ticker } from '../ids.ts'
import { customer, USD } from '../ledger/chart.ts'
import { balance } from '../ledger/ledger.ts'
import type { Prices } from '../market/prices.ts'
import type { View } from '../state.ts'
import type { Position } from './account.ts'

/** An account in money, at the market's prices of one instant. */
export type Standing = {
  readonly cash: Money
  readonly longValue: Money
  readonly shortValue: Money
  readonly equity: Money
  readonly initialMargin: Money
  readonly maintenanceMargin: Money
  readonly multiplier: 1 | 2 | 4
  readonly held: Money
  readonly buyingPower: Money
  readonly regTBuyingPower: Money
  readonly nonMarginableBuyingPower: Money
  readonly optionsBuyingPower: Money
}

/** Below this equity there is no margin. */
const MARGIN_MIN = 2_000_000_000_000n as Money

export function standingOf(view: View, prices: Prices, accountId: AccountId): Standing {
  const cash = cashOf(view, accountId)
  let longValue = NO_MONEY
  let maintenanceMargin = NO_MONEY
  for (const position of view.positions.get(accountId)?.values() ?? []) {
    const value = marketValue(position, markOf(prices, position.symbol))
    longValue = (longValue + value) as Money
    maintenanceMargin = (maintenanceMargin + maintenanceOf(value, position.quantity)) as Money
  }
  const equity = (cash + longValue) as Money
  const initialMargin = share(longValue, 50n, 100n, 'up')
  const held = view.holds.get(accountId)?.money ?? NO_MONEY
  const multiplier = equity >= MARGIN_MIN ? 4 : 1
  const spare = max(subtract(equity, initialMargin), NO_MONEY)
  const regT = multiplier === 1 ? max(cash, NO_MONEY) : ((2n * spare) as Money)
  const dayPower = (4n * max(subtract(equity, maintenanceMargin), NO_MONEY)) as Money
  const whole = multiplier === 1 ? max(cash, NO_MONEY) : max(regT, dayPower)
  return {
    cash,
    longValue,
    shortValue: NO_MONEY,
    equity,
    initialMargin,
    maintenanceMargin,
    multiplier,
    held,
    buyingPower: less(whole, held),
    regTBuyingPower: less(regT, held),
    nonMarginableBuyingPower: less(max(cash, NO_MONEY), held),
    optionsBuyingPower: less(spare, held),
  }
}

/** All cash, settled or not: what the account shows, and what margin counts with. */
export const cashOf = (view: View, accountId: AccountId): Money =>
  (balance(view.ledger, customer(accountId, 'settled'), USD) +
    balance(view.ledger, customer(accountId, 'unsettled'), USD)) as Money

/** The price a position is marked at: the last trade, which is there at any hour. */
export const markOf = (prices: Prices, symbol: Ticker): Price | undefined => prices.trade(symbol)?.price

/** Without a price a position counts with what was paid for it. */
export const marketValue = (position: Position, mark: Price | undefined): Money =>
  mark === undefined ? position.costBasis : worthOf(mark, position.quantity, 'down')

/** Cheap shares must be kept at a higher share of their value. */
function maintenanceOf(value: Money, quantity: Quantity): Money {
  const perShare = (value * 1_000_000_000n) / quantity
  const percent = perShare < 2_500_000_000n ? 100n : perShare <= 6_000_000_000n ? 50n : 30n
  return share(value, percent, 100n, 'up')
}

const less = (power: Money, held: Money): Money => max(subtract(power, held), NO_MONEY)
