import { parseDecimal } from '@quipu/core'

/** A decimal in billionths. The contract accepts only decimals in the range of an account. */
export function amountOf(decimal: string): bigint {
  const amount = parseDecimal(decimal)
  if (!amount.ok) throw new Error(`bug: the contract accepted ${decimal}`)
  return amount.value
}
