import { operation } from '../../operation.ts'
import { array, map, oneOf, optional, record, text } from '../../shape/index.ts'
import { currency, nextPageToken, oneSymbol, stockListErrors, stockReading } from './data-operation.ts'
import { historyQuery, symbols } from './market-parameters.ts'
import { DailyAuctions } from './market-records.ts'

/** Only the consolidated tape has auctions. */
const auctionFeed = { feed: optional(oneOf('sip')) }

export const auctions = {
  stockAuctions: operation({
    ...stockReading,
    path: '/v2/stocks/auctions',
    summary: 'List opening and closing auctions of several symbols, by day.',
    query: record({ symbols: symbols(), ...historyQuery, ...auctionFeed }),
    output: record({ auctions: map(array(DailyAuctions)), next_page_token: nextPageToken, currency }),
    errors: stockListErrors,
  }),
  stockAuctionSingle: operation({
    ...stockReading,
    path: '/v2/stocks/{symbol}/auctions',
    summary: 'List opening and closing auctions of a symbol, by day.',
    params: oneSymbol,
    query: record({ ...historyQuery, ...auctionFeed }),
    output: record({
      symbol: text(),
      auctions: array(DailyAuctions),
      next_page_token: nextPageToken,
      currency,
    }),
    errors: stockListErrors,
  }),
}
