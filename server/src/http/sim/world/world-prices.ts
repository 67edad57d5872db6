import type { InputOf } from '@quipu/contract'
import { checkCustom, definedFields, type PricePath, type Ticker, tickerOf, toPrice } from '@quipu/core'
import { amountOf } from '../../../wire/amounts.ts'
import { refuse } from '../../../wire/refusal.ts'

type PricesInput = NonNullable<InputOf<'createWorld'>['body']['prices']>

/** The price paths of a new world. Refuses symbols and prices that no asset can have. */
export function pricesFrom(input: PricesInput): readonly PricePath[] {
  return Object.entries(input).map(([name, points]) => {
    const symbol = tickerOf(name)
    for (const { price } of points) checkPoint(symbol, Number(price))
    return {
      symbol,
      points: points.map(({ at, price, volume }) => ({
        at: at.nanos,
        price: toPrice(amountOf(price)),
        ...definedFields({ volume }),
      })),
    }
  })
}

function checkPoint(symbol: Ticker, price: number): void {
  const checked = checkCustom({ symbol, price })
  if (checked.ok) return
  if (checked.reason === 'badPrice') throw refuse({ code: 'assetPriceInvalid' })
  throw refuse({ code: 'assetSymbolInvalid', symbol })
}
