import { operation } from '../../operation.ts'
import { array, map, nullable, oneOf, optional, record, text } from '../../shape/index.ts'
import { listErrors, nextPageToken, reading } from './data-operation.ts'
import { historyQuery, latestQuery, symbolParam, symbols } from './market-parameters.ts'
import { DailyAuctions, Quote, Snapshot, Trade } from './market-records.ts'

const shared = {
  ...reading,
  state: 'works',
} as const

const historyErrors = [...listErrors, 'currencyNotSupported'] as const
const latestErrors = ['invalidDataParameter', 'currencyNotSupported'] as const

const currency = optional(text())
const params = record({ symbol: symbolParam() })
const ofOne = record(historyQuery)
const ofMany = record({ symbols: symbols(), ...historyQuery })
/** Auctions are known of the consolidated tape alone. */
const auctionFeed = { feed: optional(oneOf('sip')) }

export const stockTicks = {
  stockTrades: operation({
    ...shared,
    path: '/v2/stocks/trades',
    summary: 'Trades of several symbols, symbol by symbol, in pages.',
    query: ofMany,
    output: record({ trades: map(array(Trade)), next_page_token: nextPageToken, currency }),
    errors: historyErrors,
  }),
  stockTradeSingle: operation({
    ...shared,
    path: '/v2/stocks/{symbol}/trades',
    summary: 'Trades of one symbol, in pages.',
    params,
    query: ofOne,
    output: record({ symbol: text(), trades: array(Trade), next_page_token: nextPageToken, currency }),
    errors: historyErrors,
  }),
  stockQuotes: operation({
    ...shared,
    path: '/v2/stocks/quotes',
    summary: 'Quotes of several symbols, symbol by symbol, in pages.',
    query: ofMany,
    output: record({ quotes: map(array(Quote)), next_page_token: nextPageToken, currency }),
    errors: historyErrors,
  }),
  stockQuoteSingle: operation({
    ...shared,
    path: '/v2/stocks/{symbol}/quotes',
    summary: 'Quotes of one symbol, in pages.',
    params,
    query: ofOne,
    output: record({ symbol: text(), quotes: array(Quote), next_page_token: nextPageToken, currency }),
    errors: historyErrors,
  }),
  stockSnapshots: operation({
    ...shared,
    path: '/v2/stocks/snapshots',
    summary: 'The state of several symbols, without a wrapper; null for an unknown symbol.',
    query: record({ symbols: symbols(), ...latestQuery }),
    output: map(nullable(Snapshot)),
    errors: latestErrors,
  }),
  stockSnapshotSingle: operation({
    ...shared,
    path: '/v2/stocks/{symbol}/snapshot',
    summary: 'The state of one symbol: latest trade and quote, minute, day and the day before.',
    params,
    query: record(latestQuery),
    output: record({ symbol: text(), ...Snapshot.fields, currency }),
    errors: [...latestErrors, 'symbolNotFound'],
  }),
  stockAuctions: operation({
    ...shared,
    path: '/v2/stocks/auctions',
    summary: 'Opening and closing auctions of several symbols by day, in pages.',
    query: record({ symbols: symbols(), ...historyQuery, ...auctionFeed }),
    output: record({ auctions: map(array(DailyAuctions)), next_page_token: nextPageToken, currency }),
    errors: historyErrors,
  }),
  stockAuctionSingle: operation({
    ...shared,
    path: '/v2/stocks/{symbol}/auctions',
    summary: 'Opening and closing auctions of one symbol by day, in pages.',
    params,
    query: record({ ...historyQuery, ...auctionFeed }),
    output: record({
      symbol: text(),
      auctions: array(DailyAuctions),
      next_page_token: nextPageToken,
      currency,
    }),
    errors: historyErrors,
  }),
}
