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
  const worth = worthOfAll(view, prices, accountId)
  const { cash, equity, held } = worth
  const spare = spareOf(worth)
  return {
    cash,
    longValue: worth.longValue,
    shortValue: NO_MONEY,
    equity,
    initialMargin: initialMarginOf(worth),
    maintenanceMargin: worth.maintenanceMargin,
    multiplier: equity >= MARGIN_MIN ? 4 : 1,
    held,
    buyingPower: powerOf(worth),
    regTBuyingPower: less(equity >= MARGIN_MIN ? ((2n * spare) as Money) : max(cash, NO_MONEY), held),
    nonMarginableBuyingPower: less(max(cash, NO_MONEY), held),
    optionsBuyingPower: less(spare, held),
  }
}

/** The one figure of the standing that every buy asks for. */
export const buyingPowerOf = (view: View, prices: Prices, accountId: AccountId): Money =>
  powerOf(worthOfAll(view, prices, accountId))

type Worth = Pick<Standing, 'cash' | 'longValue' | 'equity' | 'maintenanceMargin' | 'held'>

function worthOfAll(view: View, prices: Prices, accountId: AccountId): Worth {
  const cash = cashOf(view, accountId)
  let longValue = NO_MONEY
  let maintenanceMargin = NO_MONEY
  const positions = view.positions.get(accountId)
  if (positions)
    for (const position of positions.values()) {
      const value = marketValue(position, markOf(prices, position.symbol))
      longValue = (longValue + value) as Money
      maintenanceMargin = (maintenanceMargin + maintenanceOf(value, position.quantity)) as Money
    }
  const held = view.holds.get(accountId)?.money ?? NO_MONEY
  return { cash, longValue, equity: (cash + longValue) as Money, maintenanceMargin, held }
}

const initialMarginOf = ({ longValue }: Worth): Money => share(longValue, 50n, 100n, 'up')
const spareOf = (worth: Worth): Money => max(subtract(worth.equity, initialMarginOf(worth)), NO_MONEY)

/** Of twice what the initial margin leaves and four times what the maintenance margin leaves, the larger. */
function powerOf(worth: Worth): Money {
  const { cash, equity, maintenanceMargin, held } = worth
  if (equity < MARGIN_MIN) return less(max(cash, NO_MONEY), held)
  const dayPower = (4n * max(subtract(equity, maintenanceMargin), NO_MONEY)) as Money
  return less(max((2n * spareOf(worth)) as Money, dayPower), held)
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
