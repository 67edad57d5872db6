import type { Command } from './command.ts'
import { present } from './given.ts'
import { recordLines } from './output.ts'

export const assetCommands: readonly Command[] = [
  {
    name: 'asset create',
    about: 'Lists a symbol in a world: it has a market of its own from then on, and a past.',
    arguments: [{ name: 'SYMBOL', about: 'A stock such as SOFI, or a pair of coins such as PEPE/USD.' }],
    flags: {
      price: { placeholder: 'DOLLARS', about: 'What it costs today; drawn from the symbol when left out.' },
      name: { placeholder: 'TEXT', about: 'What it is called; its symbol when left out.' },
      'not-tradable': { about: 'It is listed, and its orders are refused.' },
      'not-fractionable': { about: 'Only whole shares can be traded.' },
      'not-shortable': { about: 'It cannot be sold short.' },
      'not-marginable': { about: 'It is bought with cash alone.' },
    },
    operations: ['createAsset'],
    example: 'quipu asset create SOFI --price 12',
    run: async ({ operator, config: { world }, given, json, say }) => {
      const symbol = given.get('SYMBOL')!
      const without = (term: string) => (given.has(`not-${term}`) ? false : undefined)
      const body = {
        symbol,
        ...present({
          price: given.get('price'),
          name: given.get('name'),
          tradable: without('tradable'),
          fractionable: without('fractionable'),
          shortable: without('shortable'),
          marginable: without('marginable'),
        }),
      }
      const asset = await operator().createAsset({ params: { world }, body })
      const { id, name, exchange, class: kind } = asset
      say(json ? JSON.stringify(asset) : recordLines({ symbol, name, class: kind, exchange, id }).join('\n'))
      return 0
    },
  },
]
