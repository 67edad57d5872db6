import type { Handlers } from '@quipu/contract'
import { type Price, parseDecimal, type Ticker } from '@quipu/core'
import type { Worlds } from '../worlds.ts'
import { assetToWire } from './assets.ts'
import type { Context } from './context.ts'
import { refuse } from './refusal.ts'

export const worldAssetHandlers = (worlds: Worlds): Pick<Handlers<Context>, 'createAsset'> => ({
  async createAsset({ params, body }, context) {
    const world = worlds.get(params.world)
    if (!world) throw refuse({ code: 'worldNotFound', world: params.world })
    const { symbol, price, name } = body
    const decision = await context.saw(
      world,
      world.submit(
        {
          kind: 'addSymbol',
          symbol: symbol as Ticker,
          ...(price !== undefined && { price: priceOf(price) }),
          ...(name !== undefined && { name }),
        },
        (_, decided) => decided,
      ),
    )
    if (!decision.ok) throw refuse(decision.reason)
    return assetToWire(world.market.assets().get(symbol as Ticker)!)
  },
})

function priceOf(decimal: string): Price {
  const price = parseDecimal(decimal)
  if (!price.ok) throw new Error(`bug: the contract let ${decimal} pass as a decimal`)
  return price.value as Price
}
