import { operation } from '../../operation.ts'
import {
  array,
  date,
  decimal,
  integer,
  list,
  map,
  number,
  oneOf,
  optional,
  record,
  text,
  timestamp,
} from '../../shape/index.ts'
import { nextPageToken, reading } from './data-operation.ts'
import { bound, limitOf, pageQuery, symbolParam, timeframe } from './market-parameters.ts'
import { Bar } from './market-records.ts'

/** Quipu has no options: every list is empty, in the format that clients expect. */
const shared = {
  ...reading,
  state: 'empty',
  errors: ['invalidDataParameter'],
} as const

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
  minuteBar: optional(Bar),
  dailyBar: optional(Bar),
  prevDailyBar: optional(Bar),
}).named('OptionSnapshot')

const snapshots = record({ snapshots: map(OptionSnapshot), next_page_token: nextPageToken })

export const optionData = {
  optionBars: operation({
    ...shared,
    path: '/v1beta1/options/bars',
    summary: 'List bars of option contracts.',
    query: record({ symbols: contracts, timeframe: timeframe(), ...pageQuery }),
    output: record({ bars: map(array(Bar)), next_page_token: nextPageToken }),
  }),
  optionTrades: operation({
    ...shared,
    path: '/v1beta1/options/trades',
    summary: 'List trades of option contracts.',
    query: record({ symbols: contracts, ...pageQuery }),
    output: record({ trades: map(array(OptionTrade)), next_page_token: nextPageToken }),
  }),
  optionLatestTrades: operation({
    ...shared,
    path: '/v1beta1/options/trades/latest',
    summary: 'Get the latest trades of option contracts.',
    query: record({ symbols: contracts, feed }),
    output: record({ trades: map(OptionTrade) }),
  }),
  optionLatestQuotes: operation({
    ...shared,
    path: '/v1beta1/options/quotes/latest',
    summary: 'Get the latest quotes of option contracts.',
    query: record({ symbols: contracts, feed }),
    output: record({ quotes: map(OptionQuote) }),
  }),
  optionSnapshots: operation({
    ...shared,
    path: '/v1beta1/options/snapshots',
    summary: 'Get snapshots of option contracts.',
    query: record({ symbols: contracts, ...snapshotPage }),
    output: snapshots,
  }),
  optionChain: operation({
    ...shared,
    path: '/v1beta1/options/snapshots/{underlying}',
    summary: 'Get snapshots of all option contracts of a symbol.',
    params: record({ underlying: symbolParam() }),
    query: record({
      ...snapshotPage,
      type: optional(oneOf('call', 'put')),
      strike_price_gte: optional(decimal()),
      strike_price_lte: optional(decimal()),
      expiration_date: optional(date()),
      expiration_date_gte: optional(date()),
      expiration_date_lte: optional(date()),
      root_symbol: optional(text({ max: 16 })),
    }),
    output: snapshots,
  }),
  optionMetaConditions: operation({
    ...shared,
    path: '/v1beta1/options/meta/conditions/{ticktype}',
    summary: 'List condition codes of option trades or quotes.',
    params: record({ ticktype: oneOf('trade', 'quote') }),
    output: map(text()),
  }),
  optionMetaExchanges: operation({
    ...shared,
    path: '/v1beta1/options/meta/exchanges',
    summary: 'List codes of option exchanges.',
    output: map(text()),
  }),
}
