import { operation } from '../../operation.ts'
import { array, map, oneOf, optional, record } from '../../shape/index.ts'
import { Book, CryptoBar, CryptoQuote, CryptoTrade } from './crypto-records.ts'
import { listErrors, nextPageToken, reading } from './data-operation.ts'
import { pageQuery, pairs, timeframe } from './market-parameters.ts'
import { Candles } from './market-records.ts'

const shared = {
  ...reading,
  who: ['account', 'partner', 'visitor'],
  state: 'works',
  params: record({ loc: oneOf('us', 'us-1', 'us-2', 'eu-1', 'bs-1') }),
} as const

const latestErrors = ['invalidDataParameter'] as const

const symbols = { symbols: pairs() }
const latest = record(symbols)
const bars = record({ ...symbols, timeframe: timeframe(), ...pageQuery })
const ticks = record({ ...symbols, ...pageQuery })

const CryptoSnapshot = record({
  latestTrade: optional(CryptoTrade),
  latestQuote: optional(CryptoQuote),
  minuteBar: optional(CryptoBar),
  dailyBar: optional(CryptoBar),
  prevDailyBar: optional(CryptoBar),
}).named('CryptoSnapshot')

const path = <Tail extends string>(tail: Tail) => `/v1beta3/crypto/{loc}/${tail}` as const

export const cryptoData = {
  cryptoBars: operation({
    ...shared,
    path: path('bars'),
    summary: 'Bars of pairs, pair by pair, in pages. Days are those of UTC.',
    query: bars,
    output: record({ bars: map(array(CryptoBar)), next_page_token: nextPageToken }),
    errors: listErrors,
  }),
  cryptoCandles: operation({
    ...shared,
    path: path('candles'),
    summary: 'Bars of pairs as columns. Not part of the protocol.',
    query: bars,
    output: record({ candles: map(Candles), next_page_token: nextPageToken }),
    errors: listErrors,
  }),
  cryptoTrades: operation({
    ...shared,
    path: path('trades'),
    summary: 'Trades of pairs, in pages.',
    query: ticks,
    output: record({ trades: map(array(CryptoTrade)), next_page_token: nextPageToken }),
    errors: listErrors,
  }),
  cryptoQuotes: operation({
    ...shared,
    path: path('quotes'),
    summary: 'Quotes of pairs, in pages.',
    query: ticks,
    output: record({ quotes: map(array(CryptoQuote)), next_page_token: nextPageToken }),
    errors: listErrors,
  }),
  cryptoLatestBars: operation({
    ...shared,
    path: path('latest/bars'),
    summary: 'The newest finished minutes of pairs.',
    query: latest,
    output: record({ bars: map(CryptoBar) }),
    errors: latestErrors,
  }),
  cryptoLatestTrades: operation({
    ...shared,
    path: path('latest/trades'),
    summary: 'The latest trades of pairs.',
    query: latest,
    output: record({ trades: map(CryptoTrade) }),
    errors: latestErrors,
  }),
  cryptoLatestQuotes: operation({
    ...shared,
    path: path('latest/quotes'),
    summary: 'The latest quotes of pairs.',
    query: latest,
    output: record({ quotes: map(CryptoQuote) }),
    errors: latestErrors,
  }),
  cryptoLatestOrderbooks: operation({
    ...shared,
    path: path('latest/orderbooks'),
    summary: 'The order books of pairs.',
    query: latest,
    output: record({ orderbooks: map(Book) }),
    errors: latestErrors,
  }),
  cryptoSnapshots: operation({
    ...shared,
    path: path('snapshots'),
    summary: 'The state of pairs.',
    query: latest,
    output: record({ snapshots: map(CryptoSnapshot) }),
    errors: latestErrors,
  }),
}
