import { operation } from '../../operation.ts'
import { array, map, optional, record, text } from '../../shape/index.ts'
import { listErrors, nextPageToken, reading } from './data-operation.ts'
import {
  adjustment,
  historyQuery,
  latestQuery,
  symbolParam,
  symbols,
  timeframe,
} from './market-parameters.ts'
import { Bar, Candles, Quote, Trade } from './market-records.ts'

const shared = {
  ...reading,
  state: 'works',
} as const

const currency = optional(text())
const oneSymbol = record({ symbol: symbolParam() })
const latestOfOne = record(latestQuery)
const latestOfMany = record({ symbols: symbols(), ...latestQuery })
const barsOfOne = record({ timeframe: timeframe(), adjustment, ...historyQuery })
const barsOfMany = record({ symbols: symbols(), timeframe: timeframe(), adjustment, ...historyQuery })

const latestErrors = ['invalidDataParameter', 'currencyNotSupported'] as const
const historyErrors = [...listErrors, 'currencyNotSupported'] as const

export const market = {
  stockLatestTradeSingle: operation({
    ...shared,
    path: '/v2/stocks/{symbol}/trades/latest',
    summary: 'The latest trade of a symbol; without `trade` when there was none.',
    params: oneSymbol,
    query: latestOfOne,
    output: record({ symbol: text(), trade: optional(Trade), currency }),
    errors: [...latestErrors, 'symbolNotFound'],
  }),
  stockLatestTrades: operation({
    ...shared,
    path: '/v2/stocks/trades/latest',
    summary: 'The latest trades of several symbols; symbols without one are absent.',
    query: latestOfMany,
    output: record({ trades: map(Trade), currency }),
    errors: latestErrors,
  }),
  stockLatestQuoteSingle: operation({
    ...shared,
    path: '/v2/stocks/{symbol}/quotes/latest',
    summary: 'The latest best bid and ask of a symbol.',
    params: oneSymbol,
    query: latestOfOne,
    output: record({ symbol: text(), quote: optional(Quote), currency }),
    errors: [...latestErrors, 'symbolNotFound'],
  }),
  stockLatestQuotes: operation({
    ...shared,
    path: '/v2/stocks/quotes/latest',
    summary: 'The latest best bids and asks of several symbols.',
    query: latestOfMany,
    output: record({ quotes: map(Quote), currency }),
    errors: latestErrors,
  }),
  stockLatestBarSingle: operation({
    ...shared,
    path: '/v2/stocks/{symbol}/bars/latest',
    summary: 'The newest finished minute bar of a symbol.',
    params: oneSymbol,
    query: latestOfOne,
    output: record({ symbol: text(), bar: optional(Bar), currency }),
    errors: [...latestErrors, 'symbolNotFound'],
  }),
  stockLatestBars: operation({
    ...shared,
    path: '/v2/stocks/bars/latest',
    summary: 'The newest finished minute bars of several symbols.',
    query: latestOfMany,
    output: record({ bars: map(Bar), currency }),
    errors: latestErrors,
  }),
  stockBars: operation({
    ...shared,
    path: '/v2/stocks/bars',
    summary: 'Bars of several symbols, symbol by symbol, in pages.',
    query: barsOfMany,
    output: record({ bars: map(array(Bar)), next_page_token: nextPageToken, currency }),
    errors: historyErrors,
  }),
  stockBarSingle: operation({
    ...shared,
    path: '/v2/stocks/{symbol}/bars',
    summary: 'Bars of one symbol, in pages.',
    params: oneSymbol,
    query: barsOfOne,
    output: record({ symbol: text(), bars: array(Bar), next_page_token: nextPageToken, currency }),
    errors: historyErrors,
  }),
  stockCandles: operation({
    ...shared,
    path: '/v2/stocks/candles',
    summary: 'Bars as columns for charts, with the parameters of bars. Not part of the protocol.',
    query: barsOfMany,
    output: record({ candles: map(Candles), next_page_token: nextPageToken, currency }),
    errors: historyErrors,
  }),
}
