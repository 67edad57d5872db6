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

/** Positions with their amounts as decimals. */
export const livePositions = computed<readonly LivePosition[] | undefined>(() =>
  current.value?.store.positions.value?.map((position) => ({
    position,
    last: decimal(position.current_price ?? '0'),
    value: decimal(position.market_value ?? '0'),
    dayGain: decimal(position.unrealized_intraday_pl ?? '0'),
    openGain: decimal(position.unrealized_pl ?? '0'),
  })),
)

/** Equity of the account. */
export const liveEquity = computed<Decimal | undefined>(() => {
  const account = current.value?.store.account.value
  return account && decimal(account.equity)
})
