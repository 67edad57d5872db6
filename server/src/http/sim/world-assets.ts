import type { Handlers } from '@quipu/contract'
import { definedFields, type Price, parseDecimal, type Ticker } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { assetToWire } from '../trading/assets.ts'
import { worldWithGeneratedMarket } from './world-named.ts'

export const worldAssetHandlers: Pick<Handlers<Context>, 'createAsset'> = {
  async createAsset({ params, body }, context) {
    const world = worldWithGeneratedMarket(params.world, context)
    const { symbol, price, name, tradable, fractionable, shortable, marginable } = body
    const terms = definedFields({ tradable, fractionable, shortable, marginable })
    const decision = await context.resultOf(
      world,
      world.submit(
        {
          kind: 'addSymbol',
          symbol: symbol as Ticker,
          ...definedFields({
            price: price === undefined ? undefined : priceOf(price),
            name,
            terms: Object.keys(terms).length > 0 ? terms : undefined,
          }),
        },
        (_, decided) => decided,
      ),
    )
    if (!decision.ok) throw refuse(decision.reason)
    const { market, now } = world
    return assetToWire(market.assets().get(symbol as Ticker)!, market.pricesAt(now))
  },
}

function priceOf(decimal: string): Price {
  const price = parseDecimal(decimal)
  if (!price.ok) throw new Error(`bug: the contract let ${decimal} pass as a decimal`)
  return price.value as Price
}
