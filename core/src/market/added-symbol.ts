import { type Price, parseDecimal } from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import type { Ticker } from '../ids.ts'
import { fail, ok, type Result } from '../result.ts'
import { type AddedSymbol, type CustomFault, checkCustom, customOf } from './added.ts'

/** `SOFI`, or `RIVN:14` with a price in dollars. */
export function addedSymbolOf(text: string): Result<AddedSymbol, CustomFault> {
  const [symbol = '', priceText, more] = text.split(':')
  const price = priceText === undefined ? undefined : parseDecimal(priceText)
  if (more !== undefined || price?.ok === false) return fail('badPrice')
  const added = { symbol: symbol as Ticker, ...definedFields({ price: price?.value as Price | undefined }) }
  const checked = checkCustom(customOf(added))
  return checked.ok ? ok(added) : checked
}
