import { type Asset, format, type Price, parseDecimal, toPrice } from '@quipu/core'
import { refuse } from './refusal.ts'

/** A decimal in billionths. The contract accepts only decimals in the range of an account. */
export function amountOf(decimal: string): bigint {
  const amount = parseDecimal(decimal)
  if (!amount.ok) throw new Error(`bug: the contract accepted ${decimal}`)
  return amount.value
}

const DECIMALS_MAX = 9

/** A price with more decimals than the core has breaks every tick rule, so it gets the refusal of the tick rule. */
export function priceOf(plain: string, field: string, asset: Asset | undefined): Price {
  const dot = plain.indexOf('.')
  if (dot < 0 || plain.length - dot - 1 <= DECIMALS_MAX) return toPrice(amountOf(plain))
  if (asset?.class === 'crypto')
    throw refuse({ code: 'priceIncrement', field, price: plain, increment: format(asset.tick) })
  throw refuse({ code: 'subPenny', field, price: plain })
}
