import { operation } from '../../operation.ts'
import { bool, decimal, isPositive, optional, record, text } from '../../shape/index.ts'
import { Asset } from '../trading/assets.ts'
import { worldParam } from './world-param.ts'

const NewAsset = record({
  symbol: text({ min: 1, max: 20, example: 'SOFI' }).about(
    'Letters and digits, a stock as SOFI or BRK.B, a pair of coins as PEPE/USD.',
  ),
  price: optional(decimal().where(isPositive, 'price must be > 0')).about(
    'What it costs today, in dollars; drawn from the symbol when left out.',
  ),
  name: optional(text({ min: 1, max: 200 })),
  tradable: optional(bool()).about('Whether it can be traded at all; true when left out.'),
  fractionable: optional(bool()).about('Whether parts of a share can be bought; true when left out.'),
  shortable: optional(bool()).about('Whether it can be sold short; true when left out, and never for coins.'),
  marginable: optional(bool()).about(
    'Whether it can be bought on margin; true when left out, and never for coins.',
  ),
}).named('NewAsset')

export const worldAssets = {
  createAsset: operation({
    family: 'sim',
    who: ['operator'],
    scope: 'never',
    state: 'works',
    method: 'POST',
    path: '/sim/v1/worlds/{world}/assets',
    summary: 'Lists a symbol in a world. It has a market of its own from then on, and a past.',
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
