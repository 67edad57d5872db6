import { format, isWhole, type Price } from '../amount.ts'
import type { Asset } from '../market/assets/asset.ts'
import type { PlaceOrder } from './commands.ts'
import { type GroupClass, kindRow, type OrderKind, type TimeInForce, triggerRow } from './kinds.ts'

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

/** Fractions are day orders; orders of extended hours and of groups are day or GTC orders. */
function shareFault(terms: OrderTerms): TermsRefusal | undefined {
  const { type, timeInForce } = terms
  const kind = kindRow(type)
  if (isFractional(terms)) {
    if (timeInForce !== 'day') return { code: 'fractionalMustBeDay' }
    if (terms.class) return { code: 'fractionalMustBeSimple' }
    if (!kind.mayBeFractional) return { code: 'fractionalNotTrailing' }
  }
  if (terms.extendedHours) {
    const fault = extendedFault(terms)
    if (fault) return fault
  }
  if (!kind.times.shares.includes(timeInForce)) return { code: 'timeInForceNotForType', type, timeInForce }
  return terms.class && groupFault(terms.class, terms)
}

function extendedFault({ type, timeInForce, class: group }: OrderTerms): TermsRefusal | undefined {
  const kind = kindRow(type)
  if (triggerRow(type).waits) return { code: 'stopNotExtended' }
  if (!kind.mayTradeExtended || !isLasting(timeInForce)) return { code: 'extendedMustBeLimit' }
  return group && { code: 'complexNotExtended' }
}

function groupFault(group: GroupClass, { type, timeInForce }: OrderTerms): TermsRefusal | undefined {
  if (!kindRow(type).groups.includes(group))
    return group === 'oco' ? { code: 'ocoMustBeLimit' } : { code: 'entryMustBeMarketOrLimit', class: group }
  return isLasting(timeInForce) ? undefined : { code: 'groupMustBeDayOrGtc', class: group }
}

const isLasting = (timeInForce: TimeInForce): boolean => timeInForce === 'day' || timeInForce === 'gtc'

function pairFault({ type, timeInForce, class: group }: OrderTerms): TermsRefusal | undefined {
  if (group) return { code: 'cryptoMustBeSimple', class: group }
  const times = kindRow(type).times.pairs
  if (times.length === 0) return { code: 'cryptoOrderType' }
  return times.includes(timeInForce) ? undefined : { code: 'cryptoTimeInForce' }
}
