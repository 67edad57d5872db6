import { computed } from '@preact/signals'
import { type Decimal, decimal } from '../../format/decimal.ts'
import type { Position } from '../../live/account-store.ts'
import { current } from '../../live/current.ts'

export type LivePosition = {
  readonly position: Position
  readonly last: Decimal
  readonly value: Decimal
  readonly dayGain: Decimal
  readonly openGain: Decimal
}

/** Positions with their amounts as decimals. One that did not change is the same object, so that nothing is drawn for it. */
export const livePositions = computed<readonly LivePosition[] | undefined>(() =>
  current.value?.store.positions.value?.map((position) => {
    const row = amounts.get(position) ?? withAmounts(position)
    amounts.set(position, row)
    return row
  }),
)

const amounts = new WeakMap<Position, LivePosition>()

const withAmounts = (position: Position): LivePosition => ({
  position,
  last: decimal(position.current_price ?? '0'),
  value: decimal(position.market_value ?? '0'),
  dayGain: decimal(position.unrealized_intraday_pl ?? '0'),
  openGain: decimal(position.unrealized_pl ?? '0'),
})

/** The last price of a symbol that is held or on screen. */
export function lastKnown(symbol: string): Decimal | undefined {
  const last = current.value?.store.quotes.value.get(symbol)?.last
  return last == null ? undefined : decimal(last)
}

/** Equity and what it is made of: cash, long and short positions. */
export type Equity = {
  readonly equity: Decimal
  readonly cash: Decimal
  readonly long: Decimal
  readonly short: Decimal
}

export const liveEquity = computed<Equity | undefined>(() => {
  const account = current.value?.store.account.value
  if (!account) return undefined
  return {
    equity: decimal(account.equity),
    cash: decimal(account.cash),
    long: decimal(account.long_market_value ?? '0'),
    short: decimal(account.short_market_value ?? '0'),
  }
})
