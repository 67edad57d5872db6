import { operation } from '../../operation.ts'
import { array, map, nullable, oneOf, optional, record, timestamp } from '../../shape/index.ts'
import { haltReasons } from '../sim/market.ts'
import { reading } from './data-operation.ts'
import { bound, limitOf, symbols } from './market-parameters.ts'

export const Halt = record({
  kind: oneOf('halt', 'pause').about('pause: the price left its band (limit up, limit down).'),
  status: oneOf('active', 'ended'),
  from: timestamp(),
  to: nullable(timestamp()).about('Resumption of trading. null: trading has not resumed.'),
  reason: oneOf(...haltReasons, 'volatility').about('volatility: the reason of a pause.'),
}).named('Halt')

/** Halts of generated markets. Imported data and market data providers have none. */
export const halts = {
  stockHalts: operation('GET /v2/stocks/halts', reading, {
    summary: 'List current and past trading halts, newest first. Not part of the Alpaca API.',
    query: record({
      symbols: symbols().about('Stocks or crypto pairs.'),
      start: optional(bound()).about('Only halts that had not ended by then. Default: no bound.'),
      end: optional(bound()).about('Only halts that had begun by then. Default: now.'),
      limit: limitOf(100, 1000).about('Maximum number of halts per symbol.'),
    }),
    output: record({ halts: map(array(Halt)).about('By symbol. Symbols without halts are absent.') }),
    errors: ['invalidDataParameter', 'endBeforeStart'],
  }),
}
