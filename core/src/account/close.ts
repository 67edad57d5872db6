import { divide, isWhole, type Quantity, sizeOf, toQuantity, UNIT } from '../amount.ts'
import type { Decider } from '../handlers.ts'
import { isPair } from '../market/assets/asset.ts'
import { type PlaceRefusal, placeOrder } from '../orders/place.ts'
import { fail } from '../result.ts'
import type { ClosedPart } from './commands.ts'

export type PositionRefusal =
  | PlaceRefusal
  | { readonly code: 'nothingToClose'; readonly symbol: string }
  | { readonly code: 'partTooSmall' }

export const closePosition: Decider<'closePosition', PositionRefusal> = (
  view,
  moment,
  { accountId, symbol, part },
) => {
  const held = view.positions.get(accountId)?.get(symbol)?.quantity
  if (held === undefined) return fail({ code: 'nothingToClose', symbol })
  const quantity = quantityOf(part, sizeOf(held))
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
  const share = toQuantity(divide(size * part.percentage, PERCENT, 'down'))
  return isWhole(size) ? toQuantity(share - (share % UNIT)) : share
}
