import { format, isWhole, type Price } from '../amount.ts'
import type { Asset } from '../market/assets/asset.ts'
import type { PlaceOrder } from './commands.ts'
import type { GroupClass, OrderKind, TimeInForce } from './order.ts'

type PriceTerm = 'limit' | 'stop' | 'trailPrice' | 'trailPercent'

/** The terms of a new order or of a replacement. */
export type OrderTerms = Omit<
  PlaceOrder,
  'kind' | 'accountId' | 'clientOrderId' | 'earlier' | 'intent' | PriceTerm
> & { readonly [Term in PriceTerm]?: PlaceOrder[Term] | undefined }

export type PriceField = 'limit' | 'stop' | 'takeProfitLimit' | 'stopLossStop' | 'stopLossLimit'

export type TermsRefusal =
  | { readonly code: 'assetNotActive' | 'assetNotTradable'; readonly symbol: string }
  | { readonly code: 'subPenny'; readonly field: PriceField; readonly price: string }
  | {
      readonly code: 'priceIncrement'
      readonly field: PriceField
      readonly price: string
      readonly increment: string
    }
  | { readonly code: 'fractionalMustBeDay' | 'fractionalMustBeSimple' | 'fractionalNotTrailing' }
  | { readonly code: 'extendedMustBeLimit' | 'stopNotExtended' | 'complexNotExtended' }
  | { readonly code: 'timeInForceNotForType'; readonly type: OrderKind; readonly timeInForce: TimeInForce }
  | { readonly code: 'entryMustBeMarketOrLimit' | 'groupMustBeDayOrGtc'; readonly class: GroupClass }
  | { readonly code: 'ocoMustBeLimit' }
  | { readonly code: 'cryptoTimeInForce' | 'cryptoOrderType' }
  | { readonly code: 'cryptoMustBeSimple'; readonly class: GroupClass }

/** Why the asset cannot be traded on these terms, for any account. */
export function termsFault(asset: Asset, terms: OrderTerms): TermsRefusal | undefined {
  const { symbol } = asset
  if (asset.status !== 'active') return { code: 'assetNotActive', symbol }
  if (!asset.tradable) return { code: 'assetNotTradable', symbol }
  const isPair = asset.class === 'crypto'
  return tickFault(asset, isPair, terms) ?? (isPair ? pairFault(terms) : shareFault(terms))
}

/** Prices of a dollar or more step by a cent, lower prices by a hundredth of a cent. */
const DOLLAR = 1_000_000_000n
const stepOf = (price: Price): bigint => (price >= DOLLAR ? 10_000_000n : 100_000n)

function tickFault(asset: Asset, isPair: boolean, terms: OrderTerms): TermsRefusal | undefined {
  const { limit, stop, takeProfit, stopLoss } = terms
  return (
    stepFault(asset, isPair, 'limit', limit) ??
    stepFault(asset, isPair, 'stop', stop) ??
    (takeProfit && stepFault(asset, isPair, 'takeProfitLimit', takeProfit.limit)) ??
    (stopLoss &&
      (stepFault(asset, isPair, 'stopLossStop', stopLoss.stop) ??
        stepFault(asset, isPair, 'stopLossLimit', stopLoss.limit)))
  )
}

function stepFault(
  { tick }: Asset,
  isPair: boolean,
  field: PriceField,
  price: Price | undefined,
): TermsRefusal | undefined {
  if (price === undefined) return undefined
  if (isPair)
    return price % tick === 0n
      ? undefined
      : { code: 'priceIncrement', field, price: format(price), increment: format(tick) }
  return price % stepOf(price) === 0n ? undefined : { code: 'subPenny', field, price: format(price) }
}

/** A fractional quantity, or a notional amount. */
export const isFractional = ({ notional, quantity }: Pick<OrderTerms, 'notional' | 'quantity'>): boolean =>
  notional !== undefined || !isWhole(quantity)

/**
 * The allowed combinations:
 *   whole shares    market limit                   day gtc opg cls ioc fok
 *                   stop stopLimit trailingStop    day gtc
 *   fractions       market limit stop stopLimit    day
 *   extended hours  limit                          day gtc
 *   groups          market limit; oco: limit       day gtc
 */
function shareFault(terms: OrderTerms): TermsRefusal | undefined {
  const { type, timeInForce } = terms
  if (isFractional(terms)) {
    if (timeInForce !== 'day') return { code: 'fractionalMustBeDay' }
    if (terms.class) return { code: 'fractionalMustBeSimple' }
    if (type === 'trailingStop') return { code: 'fractionalNotTrailing' }
  }
  if (terms.extendedHours) {
    const fault = extendedFault(terms)
    if (fault) return fault
  }
  const isLasting = timeInForce === 'day' || timeInForce === 'gtc'
  if (!isLasting && type !== 'market' && type !== 'limit')
    return { code: 'timeInForceNotForType', type, timeInForce }
  return terms.class && groupFault(terms.class, type, isLasting)
}

function extendedFault({ type, timeInForce, class: group }: OrderTerms): TermsRefusal | undefined {
  if (type !== 'market' && type !== 'limit') return { code: 'stopNotExtended' }
  if (type !== 'limit' || (timeInForce !== 'day' && timeInForce !== 'gtc'))
    return { code: 'extendedMustBeLimit' }
  return group && { code: 'complexNotExtended' }
}

function groupFault(group: GroupClass, type: OrderKind, isLasting: boolean): TermsRefusal | undefined {
  if (group === 'oco' && type !== 'limit') return { code: 'ocoMustBeLimit' }
  if (type !== 'market' && type !== 'limit') return { code: 'entryMustBeMarketOrLimit', class: group }
  return isLasting ? undefined : { code: 'groupMustBeDayOrGtc', class: group }
}

/** Crypto: market and limit with gtc and ioc, stop limit with gtc. */
function pairFault({ type, timeInForce, class: group }: OrderTerms): TermsRefusal | undefined {
  if (group) return { code: 'cryptoMustBeSimple', class: group }
  if (type === 'stop' || type === 'trailingStop') return { code: 'cryptoOrderType' }
  if (timeInForce === 'gtc' || (timeInForce === 'ioc' && type !== 'stopLimit')) return undefined
  return { code: 'cryptoTimeInForce' }
}
