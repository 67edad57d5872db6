import { operation } from '../../operation.ts'
import { array, map, record, text } from '../../shape/index.ts'
import { CryptoBar } from './crypto-records.ts'
import {
  cryptoReading,
  cryptoRoute,
  currency,
  listErrors,
  nextPageToken,
  oneSymbol,
  reading,
  stockListErrors,
} from './data-operation.ts'
import { adjustment, historyQuery, pageQuery, pairs, symbols, timeframe } from './market-parameters.ts'
import { BarShape, CandlesShape } from './market-records.ts'

const barsOfOne = record({ timeframe: timeframe(), adjustment, ...historyQuery })
const barsOfMany = record({ symbols: symbols(), timeframe: timeframe(), adjustment, ...historyQuery })
const cryptoBarsQuery = record({ symbols: pairs(), timeframe: timeframe(), ...pageQuery })

export const barOperations = {
  stockBars: operation('GET /v2/stocks/bars', reading, {
    summary: 'List bars of several symbols, one symbol after another.',
    query: barsOfMany,
    output: record({ bars: map(array(BarShape)), next_page_token: nextPageToken, currency }),
    errors: stockListErrors,
  }),
  stockBarSingle: operation('GET /v2/stocks/{symbol}/bars', reading, {
    summary: 'List bars of a symbol.',
    params: oneSymbol,
    query: barsOfOne,
    output: record({ symbol: text(), bars: array(BarShape), next_page_token: nextPageToken, currency }),
    errors: stockListErrors,
  }),
  stockCandles: operation('GET /v2/stocks/candles', reading, {
    summary: 'List bars of stocks as columns for charts. Not part of the Alpaca API.',
    query: barsOfMany,
    output: record({ candles: map(CandlesShape), next_page_token: nextPageToken, currency }),
    errors: stockListErrors,
  }),
  cryptoBars: operation(cryptoRoute('bars'), cryptoReading, {
    summary: 'List bars of crypto pairs, one pair after another. Days are UTC days.',
    query: cryptoBarsQuery,
    output: record({ bars: map(array(CryptoBar)), next_page_token: nextPageToken }),
    errors: listErrors,
  }),
  cryptoCandles: operation(cryptoRoute('candles'), cryptoReading, {
    summary: 'List bars of crypto pairs as columns for charts. Not part of the Alpaca API.',
    query: cryptoBarsQuery,
    output: record({ candles: map(CandlesShape), next_page_token: nextPageToken }),
    errors: listErrors,
  }),
}
