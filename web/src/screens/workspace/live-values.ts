import { computed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { add, type Decimal, decimal, decimalOfNumber, multiply, subtract, sum } from '../../format/decimal.ts'
import type { Position } from '../../live/account-store.ts'
import { clock } from '../../live/clock.ts'
import { current } from '../../live/current.ts'

/** Above this speed each trade would be too much for a browser; bars of a minute are enough. */
const TRADES_SPEED_MAX = 60

/** The newest price of a symbol: of the stream, or of the last read. */
function lastPrice(position: Position): Decimal {
  const state = current.value?.market.state(position.symbol)
  const trade = state?.trade.value
  const bar = state?.bar.value
  const newest = bar && (!trade || bar.t >= trade.t) ? bar.c : trade?.p
  return newest === undefined ? decimal(position.current_price ?? '0') : decimalOfNumber(newest)
}

export type LivePosition = {
  readonly position: Position
  readonly last: Decimal
  readonly value: Decimal
  readonly dayGain: Decimal
  readonly openGain: Decimal
}

/** Positions with the prices of the stream. */
export const livePositions = computed<readonly LivePosition[] | undefined>(() =>
  current.value?.store.positions.value?.map((position) => {
    const last = lastPrice(position)
    const quantity = decimal(position.qty)
    const moved = multiply(quantity, subtract(last, decimal(position.current_price ?? '0')))
    return {
      position,
      last,
      value: add(decimal(position.market_value ?? '0'), moved),
      dayGain: add(decimal(position.unrealized_intraday_pl ?? '0'), moved),
      openGain: add(decimal(position.unrealized_pl ?? '0'), moved),
    }
  }),
)

/** Equity of the account with the prices of the stream. */
export const liveEquity = computed<Decimal | undefined>(() => {
  const account = current.value?.store.account.value
  if (!account) return undefined
  const moved = (livePositions.value ?? []).map(({ value, position }) =>
    subtract(value, decimal(position.market_value ?? '0')),
  )
  return add(decimal(account.equity), sum(moved))
})

/** Subscribes to the prices of the positions while the screen is open. */
export function useLivePrices(): void {
  const live = current.value
  const symbols = live?.store.positions.value?.map(({ symbol }) => symbol).join()
  const channel = (clock.value?.speed ?? 1) > TRADES_SPEED_MAX ? 'bars' : 'trades'
  useEffect(() => {
    if (!live || !symbols) return undefined
    return live.market.watch([channel], symbols.split(','))
  }, [live, symbols, channel])
}
