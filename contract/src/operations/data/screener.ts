import { operation } from '../../operation.ts'
import { array, integer, number, oneOf, record, text, timestamp, withDefault } from '../../shape/index.ts'
import { reading } from './data-operation.ts'
import { limitOf } from './market-parameters.ts'

const top = (max: number) => limitOf(10, max)

const Mover = record({ symbol: text(), price: number(), change: number(), percent_change: number() }).named(
  'Mover',
)

export const screener = {
  mostActives: operation('GET /v1beta1/screener/stocks/most-actives', reading, {
    errors: ['invalidDataParameter'],
    summary: 'List the stocks with the highest volume or number of trades of the latest day.',
    query: record({ by: withDefault(oneOf('volume', 'trades'), 'volume'), top: top(100) }),
    output: record({
      most_actives: array(record({ symbol: text(), volume: integer(), trade_count: integer() })),
      last_updated: timestamp(),
    }),
  }),
  movers: operation('GET /v1beta1/screener/{market_type}/movers', reading, {
    errors: ['invalidDataParameter'],
    summary: 'List the largest gains and losses of the latest day, compared with the previous close.',
    params: record({ market_type: oneOf('stocks', 'crypto') }),
    query: record({ top: top(50) }),
    output: record({
      gainers: array(Mover),
      losers: array(Mover),
      market_type: oneOf('stocks', 'crypto'),
      last_updated: timestamp(),
    }),
  }),
}
