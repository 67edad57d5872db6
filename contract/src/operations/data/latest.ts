import { operation } from '../../operation.ts'
import { map, nullable, optional, record, text } from '../../shape/index.ts'
import { BookShape, CryptoBar, CryptoQuote, CryptoTrade } from './crypto-records.ts'
import { cryptoReading, cryptoRoute, currency, oneSymbol, reading } from './data-operation.ts'
import { latestQuery, pairs, symbols } from './market-parameters.ts'
import { BarShape, QuoteShape, Snapshot, TradeShape } from './market-records.ts'

const latestOfOne = record(latestQuery)
const latestOfMany = record({ symbols: symbols(), ...latestQuery })
const cryptoLatestQuery = record({ symbols: pairs() })

const stockLatestErrors = ['invalidDataParameter', 'currencyNotSupported'] as const
const cryptoLatestErrors = ['invalidDataParameter'] as const

const CryptoSnapshot = record({
  latestTrade: optional(CryptoTrade),
  latestQuote: optional(CryptoQuote),
  minuteBar: optional(CryptoBar),
  dailyBar: optional(CryptoBar),
  prevDailyBar: optional(CryptoBar),
}).named('CryptoSnapshot')

export const latest = {
  stockLatestTradeSingle: operation('GET /v2/stocks/{symbol}/trades/latest', reading, {
    summary: 'Get the latest trade of a symbol. `trade` is absent if there is none.',
    params: oneSymbol,
    query: latestOfOne,
    output: record({ symbol: text(), trade: optional(TradeShape), currency }),
    errors: [...stockLatestErrors, 'symbolNotFound'],
  }),
  stockLatestTrades: operation('GET /v2/stocks/trades/latest', reading, {
    summary: 'Get the latest trades of several symbols. Symbols without a trade are absent.',
    query: latestOfMany,
    output: record({ trades: map(TradeShape), currency }),
    errors: stockLatestErrors,
  }),
  stockLatestQuoteSingle: operation('GET /v2/stocks/{symbol}/quotes/latest', reading, {
    summary: 'Get the latest quote of a symbol.',
    params: oneSymbol,
    query: latestOfOne,
    output: record({ symbol: text(), quote: optional(QuoteShape), currency }),
    errors: [...stockLatestErrors, 'symbolNotFound'],
  }),
  stockLatestQuotes: operation('GET /v2/stocks/quotes/latest', reading, {
    summary: 'Get the latest quotes of several symbols.',
    query: latestOfMany,
    output: record({ quotes: map(QuoteShape), currency }),
    errors: stockLatestErrors,
  }),
  stockLatestBarSingle: operation('GET /v2/stocks/{symbol}/bars/latest', reading, {
    summary: 'Get the latest complete minute bar of a symbol.',
    params: oneSymbol,
    query: latestOfOne,
    output: record({ symbol: text(), bar: optional(BarShape), currency }),
    errors: [...stockLatestErrors, 'symbolNotFound'],
  }),
  stockLatestBars: operation('GET /v2/stocks/bars/latest', reading, {
    summary: 'Get the latest complete minute bars of several symbols.',
    query: latestOfMany,
    output: record({ bars: map(BarShape), currency }),
    errors: stockLatestErrors,
  }),
  stockSnapshots: operation('GET /v2/stocks/snapshots', reading, {
    summary: 'Get snapshots of several symbols, by symbol. Unknown symbols are null.',
    query: latestOfMany,
    output: map(nullable(Snapshot)),
    errors: stockLatestErrors,
  }),
  stockSnapshotSingle: operation('GET /v2/stocks/{symbol}/snapshot', reading, {
    summary:
      'Get the snapshot of a symbol: latest trade and quote, minute bar, daily bar, previous daily bar.',
    params: oneSymbol,
    query: latestOfOne,
    output: record({ symbol: text(), ...Snapshot.fields, currency }),
    errors: [...stockLatestErrors, 'symbolNotFound'],
  }),
  cryptoLatestBars: operation(cryptoRoute('latest/bars'), cryptoReading, {
    summary: 'Get the latest complete minute bars of crypto pairs.',
    query: cryptoLatestQuery,
    output: record({ bars: map(CryptoBar) }),
    errors: cryptoLatestErrors,
  }),
  cryptoLatestTrades: operation(cryptoRoute('latest/trades'), cryptoReading, {
    summary: 'Get the latest trades of crypto pairs.',
    query: cryptoLatestQuery,
    output: record({ trades: map(CryptoTrade) }),
    errors: cryptoLatestErrors,
  }),
  cryptoLatestQuotes: operation(cryptoRoute('latest/quotes'), cryptoReading, {
    summary: 'Get the latest quotes of crypto pairs.',
    query: cryptoLatestQuery,
    output: record({ quotes: map(CryptoQuote) }),
    errors: cryptoLatestErrors,
  }),
  cryptoLatestOrderbooks: operation(cryptoRoute('latest/orderbooks'), cryptoReading, {
    summary: 'Get the order books of crypto pairs.',
    query: cryptoLatestQuery,
    output: record({ orderbooks: map(BookShape) }),
    errors: cryptoLatestErrors,
  }),
  cryptoSnapshots: operation(cryptoRoute('snapshots'), cryptoReading, {
    summary: 'Get snapshots of crypto pairs.',
    query: cryptoLatestQuery,
    output: record({ snapshots: map(CryptoSnapshot) }),
    errors: cryptoLatestErrors,
  }),
}
