import { operation } from '../../operation.ts'
import {
  array,
  bool,
  decimal,
  integer,
  list,
  map,
  nullable,
  number,
  oneOf,
  optional,
  record,
  sentDate,
  text,
  timestamp,
  withDefault,
} from '../../shape/index.ts'
import { nextPageToken, reading } from './data-operation.ts'
import {
  bound,
  limitOf,
  pageQuery,
  symbolParam,
  symbols,
  timeframe,
  timeframeAmong,
} from './market-parameters.ts'
import { BarShape } from './market-records.ts'

/** Quipu has no data for these operations: responses are empty, in the format that clients expect. */
const shared = { ...reading, state: 'empty', errors: ['invalidDataParameter'] } as const

const contracts = list(
  text({
    pattern: /^[A-Z0-9]{1,6}\d{6}[CP]\d{8}$/,
    expected: 'an option symbol such as AAPL261218C00250000',
    max: 21,
    example: 'AAPL261218C00250000',
  }),
  { max: 100 },
).where((symbols) => symbols.length > 0, 'expected 1 to 100 option symbols')

const feed = optional(oneOf('opra', 'indicative'))
const snapshotPage = {
  feed,
  updated_since: optional(bound()),
  limit: limitOf(100, 1000),
  page_token: pageQuery.page_token,
}

const OptionTrade = record({
  t: timestamp(),
  p: number(),
  s: integer(),
  x: text(),
  c: text().about('One condition code, not a list.'),
}).named('OptionTrade')

const OptionQuote = record({
  t: timestamp(),
  bx: text(),
  bp: number(),
  bs: integer(),
  ax: text(),
  ap: number(),
  as: integer(),
  c: text().about('One condition code, not a list.'),
}).named('OptionQuote')

const Greeks = record({ delta: number(), gamma: number(), rho: number(), theta: number(), vega: number() })

const OptionSnapshot = record({
  latestTrade: optional(OptionTrade),
  latestQuote: optional(OptionQuote),
  greeks: optional(Greeks),
  impliedVolatility: optional(number()),
  minuteBar: optional(BarShape),
  dailyBar: optional(BarShape),
  prevDailyBar: optional(BarShape),
}).named('OptionSnapshot')

const snapshots = record({ snapshots: map(OptionSnapshot), next_page_token: nextPageToken })

const options = {
  optionBars: operation('GET /v1beta1/options/bars', shared, {
    summary: 'List bars of option contracts.',
    query: record({ symbols: contracts, timeframe: timeframe(), ...pageQuery }),
    output: record({ bars: map(array(BarShape)), next_page_token: nextPageToken }),
  }),
  optionTrades: operation('GET /v1beta1/options/trades', shared, {
    summary: 'List trades of option contracts.',
    query: record({ symbols: contracts, ...pageQuery }),
    output: record({ trades: map(array(OptionTrade)), next_page_token: nextPageToken }),
  }),
  optionLatestTrades: operation('GET /v1beta1/options/trades/latest', shared, {
    summary: 'Get the latest trades of option contracts.',
    query: record({ symbols: contracts, feed }),
    output: record({ trades: map(OptionTrade) }),
  }),
  optionLatestQuotes: operation('GET /v1beta1/options/quotes/latest', shared, {
    summary: 'Get the latest quotes of option contracts.',
    query: record({ symbols: contracts, feed }),
    output: record({ quotes: map(OptionQuote) }),
  }),
  optionSnapshots: operation('GET /v1beta1/options/snapshots', shared, {
    summary: 'Get snapshots of option contracts.',
    query: record({ symbols: contracts, ...snapshotPage }),
    output: snapshots,
  }),
  optionChain: operation('GET /v1beta1/options/snapshots/{underlying}', shared, {
    summary: 'Get snapshots of all option contracts of a symbol.',
    params: record({ underlying: symbolParam() }),
    query: record({
      ...snapshotPage,
      type: optional(oneOf('call', 'put')),
      strike_price_gte: optional(decimal()),
      strike_price_lte: optional(decimal()),
      expiration_date: optional(sentDate()),
      expiration_date_gte: optional(sentDate()),
      expiration_date_lte: optional(sentDate()),
      root_symbol: optional(text({ max: 16 })),
    }),
    output: snapshots,
  }),
  optionMetaConditions: operation('GET /v1beta1/options/meta/conditions/{ticktype}', shared, {
    summary: 'List condition codes of option trades or quotes.',
    params: record({ ticktype: oneOf('trade', 'quote') }),
    output: map(text()),
  }),
  optionMetaExchanges: operation('GET /v1beta1/options/meta/exchanges', shared, {
    summary: 'List codes of option exchanges.',
    output: map(text()),
  }),
}

const NewsItem = record({
  id: integer(),
  headline: text(),
  author: text(),
  created_at: timestamp(),
  updated_at: timestamp(),
  summary: text(),
  content: text(),
  url: nullable(text()),
  images: array(record({ size: oneOf('thumb', 'small', 'large'), url: text() })),
  symbols: array(text()),
  source: text(),
}).named('NewsItem')

const pairs = list(text({ pattern: /^[A-Z]{6}$/, expected: 'a currency pair such as USDJPY' }), { max: 100 })
const Rate = record({ bp: number(), mp: number(), ap: number(), t: timestamp() }).named('Rate')
const IndexValue = record({ t: timestamp(), v: number() }).named('IndexValue')
const isins = list(text({ pattern: /^[A-Z0-9]{12}$/, expected: 'an ISIN' }), { max: 1000 })

const BondPrice = record({
  t: timestamp(),
  p: number(),
  ytm: optional(number()),
  ytw: optional(number()),
}).named('BondPrice')

const BondQuote = record({
  t: timestamp(),
  bp: number(),
  bs: number(),
  bms: number(),
  bytm: number(),
  bytw: number(),
  ap: number(),
  as: number(),
  ams: number(),
  aytm: number(),
  aytw: number(),
}).named('BondQuote')

export const emptyData = {
  ...options,
  news: operation('GET /v1beta1/news', shared, {
    summary: 'List news articles, newest first.',
    query: record({
      symbols: optional(symbols()),
      start: optional(bound()),
      end: optional(bound()),
      sort: withDefault(oneOf('asc', 'desc'), 'desc'),
      limit: limitOf(10, 50),
      include_content: optional(bool()),
      exclude_contentless: optional(bool()),
      page_token: pageQuery.page_token,
    }),
    output: record({ news: array(NewsItem), next_page_token: nextPageToken }),
  }),
  logo: operation('GET /v1beta1/logos/{symbol}', reading, {
    state: 'empty',
    summary: 'Get an empty image in place of a logo. 404 if `placeholder` is false.',
    params: record({ symbol: symbolParam() }),
    query: record({ placeholder: withDefault(bool(), true) }),
    raw: 'image/png',
    errors: ['invalidDataParameter', 'logoNotFound'],
  }),
  forexLatestRates: operation('GET /v1beta1/forex/latest/rates', shared, {
    summary: 'Get the latest rates of currency pairs.',
    query: record({ currency_pairs: pairs }),
    output: record({ rates: map(Rate) }),
  }),
  forexRates: operation('GET /v1beta1/forex/rates', shared, {
    summary: 'List rates of currency pairs.',
    query: record({
      currency_pairs: pairs,
      timeframe: withDefault(timeframeAmong('5Sec', '5S', '1Min', '1T', '1Day', '1D'), '1Min'),
      ...pageQuery,
    }),
    output: record({ rates: map(array(Rate)), next_page_token: nextPageToken }),
  }),
  indexLatestValues: operation('GET /v1beta1/indices/latest/values', shared, {
    summary: 'Get the latest values of indices.',
    query: record({ symbols: symbols() }),
    output: record({ values: map(IndexValue) }),
  }),
  indexValues: operation('GET /v1beta1/indices/values', shared, {
    summary: 'List values of indices.',
    query: record({ symbols: symbols(), ...pageQuery }),
    output: record({ values: map(array(IndexValue)), next_page_token: nextPageToken }),
  }),
  fixedIncomeLatestPrices: operation('GET /v1beta1/fixed_income/latest/prices', shared, {
    summary: 'Get the latest prices of bonds.',
    query: record({ isins }),
    output: record({ prices: map(BondPrice) }),
  }),
  fixedIncomeLatestQuotes: operation('GET /v1beta1/fixed_income/latest/quotes', shared, {
    summary: 'Get the latest quotes of bonds.',
    query: record({ isins, trade_size: optional(integer({ min: 1 })) }),
    output: record({ quotes: map(BondQuote) }),
  }),
}
