import { addedSymbolOf, type Ticker, type WorldSettings } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'

/**
 * The symbols of a new world: it has these alone. Those that are not listed anyway, or have a price of their own, are
 * listed for it.
 */
export function symbolsFrom(
  given: readonly string[] | undefined,
  isListed: (symbol: Ticker) => boolean,
): Pick<WorldSettings, 'symbols' | 'added'> {
  if (given === undefined) return {}
  const wanted = given.map((text) => {
    if (isListed(text as Ticker)) return { symbol: text as Ticker }
    const read = addedSymbolOf(text)
    if (read.ok) return read.value
    if (read.reason === 'badPrice') throw refuse({ code: 'assetPriceInvalid' })
    throw refuse({ code: 'assetSymbolInvalid', symbol: text })
  })
  const added = wanted.filter((one) => 'price' in one || !isListed(one.symbol))
  return { symbols: wanted.map(({ symbol }) => symbol), ...(added.length > 0 && { added }) }
}
