import { operation } from '../../operation.ts'
import { bool, decimal, isPositive, optional, record, text } from '../../shape/index.ts'
import { Asset } from '../trading/assets.ts'
import { worldParam } from './world-param.ts'

const NewAsset = record({
  symbol: text({ min: 1, max: 20, example: 'SOFI' }).about(
    'Stock such as SOFI or BRK.B, or crypto pair such as PEPE/USD.',
  ),
  price: optional(decimal().where(isPositive, 'price must be > 0')).about(
    'Current price in dollars. Default: derived from the symbol.',
  ),
  name: optional(text({ min: 1, max: 200 })),
  tradable: optional(bool()).about('Can be traded. Default: true.'),
  fractionable: optional(bool()).about('Fractions can be traded. Default: true.'),
  shortable: optional(bool()).about('Can be sold short. Default: true; never for crypto.'),
  marginable: optional(bool()).about('Can be bought on margin. Default: true; never for crypto.'),
}).named('NewAsset')

export const worldAssets = {
  createAsset: operation({
    family: 'sim',
    who: ['operator'],
    scope: 'never',
    state: 'works',
    method: 'POST',
    path: '/sim/v1/worlds/{world}/assets',
    summary: 'Add a symbol to a world, with generated price history.',
    params: record(worldParam),
    body: NewAsset,
    output: Asset,
    status: 201,
    errors: [
      'invalidParameter',
      'worldNotFound',
      'replayMarketFixed',
      'assetSymbolTaken',
      'assetSymbolInvalid',
      'assetPriceInvalid',
    ],
  }),
}
