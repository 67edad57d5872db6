import { assetIdOf, type Ticker } from '@quipu/core'

/** Derives a CUSIP-like id from the symbol: eight hex digits and the check digit. */
export function cusipOf(symbol: Ticker): string {
  const base = assetIdOf(symbol).slice(0, 8).toUpperCase()
  let sum = 0
  for (let index = 0; index < base.length; index++) {
    const value = Number.parseInt(base[index]!, 16) * (index % 2 === 0 ? 1 : 2)
    sum += Math.floor(value / 10) + (value % 10)
  }
  return `${base}${(10 - (sum % 10)) % 10}`
}
