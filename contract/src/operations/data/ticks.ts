import { operation } from '../../operation.ts'
import { array, map, oneOf, optional, record, text } from '../../shape/index.ts'
import { CryptoQuote, CryptoTrade } from './crypto-records.ts'
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
import { historyQuery, pageQuery, pairs, symbols } from './market-parameters.ts'
import { DailyAuctionsShape, QuoteShape, TradeShape } from './market-records.ts'

const ofOne = record(historyQuery)
const ofMany = record({ symbols: symbols(), ...historyQuery })
const cryptoTicksQuery = record({ symbols: pairs(), ...pageQuery })

/** Only the consolidated tape has auctions. */
const auctionFeed = { feed: optional(oneOf('sip')) }

const codes = { ...reading, output: map(text()), errors: ['invalidDataParameter'] } as const

/** Trades, quotes and auctions, and the codes in them. */
export const ticks = {
  stockTrades: operation('GET /v2/stocks/trades', reading, {
    summary: 'List trades of several symbols, one symbol after another.',
    query: ofMany,
    output: record({ trades: map(array(TradeShape)), next_page_token: nextPageToken, currency }),
    errors: stockListErrors,
  }),
  stockTradeSingle: operation('GET /v2/stocks/{symbol}/trades', reading, {
    summary: 'List trades of a symbol.',
    params: oneSymbol,
    query: ofOne,
    output: record({ symbol: text(), trades: array(TradeShape), next_page_token: nextPageToken, currency }),
    errors: stockListErrors,
  }),
  stockQuotes: operation('GET /v2/stocks/quotes', reading, {
    summary: 'List quotes of several symbols, one symbol after another.',
    query: ofMany,
    output: record({ quotes: map(array(QuoteShape)), next_page_token: nextPageToken, currency }),
    errors: stockListErrors,
  }),
  stockQuoteSingle: operation('GET /v2/stocks/{symbol}/quotes', reading, {
    summary: 'List quotes of a symbol.',
    params: oneSymbol,
    query: ofOne,
    output: record({ symbol: text(), quotes: array(QuoteShape), next_page_token: nextPageToken, currency }),
    errors: stockListErrors,
  }),
  cryptoTrades: operation(cryptoRoute('trades'), cryptoReading, {
    summary: 'List trades of crypto pairs.',
    query: cryptoTicksQuery,
    output: record({ trades: map(array(CryptoTrade)), next_page_token: nextPageToken }),
    errors: listErrors,
  }),
  cryptoQuotes: operation(cryptoRoute('quotes'), cryptoReading, {
    summary: 'List quotes of crypto pairs.',
    query: cryptoTicksQuery,
    output: record({ quotes: map(array(CryptoQuote)), next_page_token: nextPageToken }),
    errors: listErrors,
  }),

  stockAuctions: operation('GET /v2/stocks/auctions', reading, {
    summary: 'List opening and closing auctions of several symbols, by day.',
    query: record({ symbols: symbols(), ...historyQuery, ...auctionFeed }),
    output: record({ auctions: map(array(DailyAuctionsShape)), next_page_token: nextPageToken, currency }),
    errors: stockListErrors,
  }),
  stockAuctionSingle: operation('GET /v2/stocks/{symbol}/auctions', reading, {
    summary: 'List opening and closing auctions of a symbol, by day.',
    params: oneSymbol,
    query: record({ ...historyQuery, ...auctionFeed }),
    output: record({
      symbol: text(),
      auctions: array(DailyAuctionsShape),
      next_page_token: nextPageToken,
      currency,
    }),
    errors: stockListErrors,
  }),

  stockMetaConditions: operation('GET /v2/stocks/meta/conditions/{ticktype}', codes, {
    summary: 'List condition codes of a tape with their meanings.',
    params: record({ ticktype: oneOf('trade', 'quote') }),
    query: record({ tape: oneOf('A', 'B', 'C') }),
  }),
  stockMetaExchanges: operation('GET /v2/stocks/meta/exchanges', codes, {
    summary: 'List exchange codes with their names.',
  }),
}
