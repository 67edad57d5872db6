import { divide, isWhole, type Quantity, UNIT } from '../amount.ts'
import type { AccountId, Ticker } from '../ids.ts'
import { isPair } from '../market/asset.ts'
import type { Moment } from '../moment.ts'
import type { OrderAccepted } from '../orders/events.ts'
import { type PlaceRefusal, placeOrder } from '../orders/place.ts'
import { fail, type Result } from '../result.ts'
import type { View } from '../state.ts'

/** Closes a position, or a part of it, with a market order. */
export type ClosePosition = {
  readonly kind: 'closePosition'
  readonly accountId: AccountId
  readonly symbol: Ticker
  readonly part: ClosedPart
}

/** Percentages are in billionths of a percent. */
export type ClosedPart =
  | { readonly kind: 'all' }
  | { readonly kind: 'quantity'; readonly quantity: Quantity }
  | { readonly kind: 'percentage'; readonly percentage: bigint }

export type PositionRefusal =
  | PlaceRefusal
  | { readonly code: 'nothingToClose'; readonly symbol: string }
  | { readonly code: 'partTooSmall' }

export function closePosition(
  view: View,
  moment: Moment,
  { accountId, symbol, part }: ClosePosition,
): Result<readonly OrderAccepted[], PositionRefusal> {
  const held = view.positions.get(accountId)?.get(symbol)?.quantity
  if (held === undefined) return fail({ code: 'nothingToClose', symbol })
  const size = (held < 0n ? -held : held) as Quantity
  const quantity = quantityOf(part, size)
  if (quantity === 0n) return fail({ code: 'partTooSmall' })
  return placeOrder(view, moment, {
    kind: 'placeOrder',
    accountId,
    symbol,
    side: held > 0n ? 'sell' : 'buy',
    type: 'market',
    timeInForce: isPair(symbol) ? 'gtc' : 'day',
    extendedHours: false,
    quantity,
    intent: held > 0n ? 'sellToClose' : 'buyToClose',
  })
}

const PERCENT = 100n * UNIT

/** Rounds down: to whole shares if the position is whole, else to nine decimals. */
function quantityOf(part: ClosedPart, size: Quantity): Quantity {
  if (part.kind === 'all') return size
  if (part.kind === 'quantity') return part.quantity
  const share = divide(size * part.percentage, PERCENT, 'down') as Quantity
  return isWhole(size) ? ((share - (share % UNIT)) as Quantity) : share
}
