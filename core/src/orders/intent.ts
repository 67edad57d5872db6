import { NO_QUANTITY, type Quantity } from '../amount.ts'
import { type Asset, isPair } from '../market/assets/asset.ts'
import type { GroupClass } from './kinds.ts'
import { opens, type PositionIntent, type Side } from './order.ts'
import { isFractional, type OrderTerms } from './terms.ts'

export type IntentRefusal =
  | {
      readonly code: 'positionIntentMismatch'
      readonly inferred: PositionIntent
      readonly specified: PositionIntent
    }
  | { readonly code: 'groupMustOpen'; readonly class: GroupClass }
  | { readonly code: 'ocoMustClose' }
  | { readonly code: 'assetNotShortable'; readonly symbol: string }
  | { readonly code: 'fractionalNotShort' }

/**
 * The effect of an order on a position: a sell closes a long, a buy closes a short. Crypto is never short.
 */
export function intentOf({ symbol, side }: OrderTerms, position: Quantity): PositionIntent {
  if (side === 'buy') return position < NO_QUANTITY ? 'buyToClose' : 'buyToOpen'
  return position > NO_QUANTITY || isPair(symbol) ? 'sellToClose' : 'sellToOpen'
}

/** Why the intent is not allowed. */
export function intentFault(
  asset: Asset,
  terms: OrderTerms,
  inferred: PositionIntent,
  specified: PositionIntent | undefined,
): IntentRefusal | undefined {
  if (specified !== undefined && specified !== inferred)
    return { code: 'positionIntentMismatch', inferred, specified }
  if (terms.class === 'oco') {
    if (opens(inferred)) return { code: 'ocoMustClose' }
  } else if (terms.class && !opens(inferred)) return { code: 'groupMustOpen', class: terms.class }
  if (inferred !== 'sellToOpen') return undefined
  if (isFractional(terms)) return { code: 'fractionalNotShort' }
  return asset.shortable && asset.easyToBorrow
    ? undefined
    : { code: 'assetNotShortable', symbol: asset.symbol }
}

/** The closing intent of a side. */
export const closingOf = (side: Side): PositionIntent => (side === 'buy' ? 'buyToClose' : 'sellToClose')
