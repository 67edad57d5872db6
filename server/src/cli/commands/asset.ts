import { definedFields } from '@quipu/core/values'
import type { Command } from '../command.ts'
import { printRecord } from '../output.ts'

export const assetCommands: readonly Command[] = [
  {
    name: 'asset create',
    about: 'Add a symbol, with generated price history.',
    arguments: [{ name: 'SYMBOL', about: 'Stock such as SOFI, or crypto pair such as PEPE/USD.' }],
    flags: {
      price: { placeholder: 'DOLLARS', about: 'Price today. Default: derived from the symbol.' },
      name: { placeholder: 'TEXT', about: 'Name. Default: the symbol.' },
      'not-tradable': { about: 'List the symbol, but refuse its orders.' },
      'not-fractionable': { about: 'Allow whole shares only.' },
      'not-shortable': { about: 'Do not allow short sales.' },
      'not-marginable': { about: 'Allow buying with cash only.' },
    },
    operations: ['createAsset'],
    example: 'quipu asset create SOFI --price 12',
    run: async (context) => {
      const { operator, config, args, json } = context
      const symbol = args.get('SYMBOL')!
      const without = (term: string) => (args.has(`not-${term}`) ? false : undefined)
      const body = {
        symbol,
        ...definedFields({
          price: args.get('price'),
          name: args.get('name'),
          tradable: without('tradable'),
          fractionable: without('fractionable'),
          shortable: without('shortable'),
          marginable: without('marginable'),
        }),
      }
      const asset = await operator().createAsset({ params: { world: config.world }, body })
      const { id, name, exchange, class: kind } = asset
      return printRecord(context, json ? asset : { symbol, name, class: kind, exchange, id })
    },
  },
]
