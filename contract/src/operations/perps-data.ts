import { operation } from '../operation.ts'
import { list, map, number, oneOf, record, text, timestamp } from '../shape/index.ts'
import { Book, CryptoBar, CryptoQuote, CryptoTrade } from './crypto-records.ts'
import { reading } from './data-operation.ts'

/** No perpetuals are listed: their latest data is always empty. */
const shared = {
  ...reading,
  state: 'empty',
  params: record({ loc: oneOf('us', 'us-1', 'us-2', 'eu-1', 'bs-1', 'global') }),
  query: record({ symbols: list(text({ max: 40 }), { max: 1000 }) }),
  errors: ['invalidDataParameter'],
} as const

const Pricing = record({
  t: timestamp(),
  ip: number().about('Index price.'),
  mp: number().about('Mark price.'),
  fr: number().about('Funding rate.'),
  oi: number().about('Open interest.'),
  ft: timestamp().about('When funding is next due.'),
}).named('PerpsPricing')

export const perpsData = {
  perpsLatestBars: operation({
    ...shared,
    path: '/v1beta1/crypto-perps/{loc}/latest/bars',
    summary: 'The latest bars of perpetuals.',
    output: record({ bars: map(CryptoBar) }),
  }),
  perpsLatestTrades: operation({
    ...shared,
    path: '/v1beta1/crypto-perps/{loc}/latest/trades',
    summary: 'The latest trades of perpetuals.',
    output: record({ trades: map(CryptoTrade) }),
  }),
  perpsLatestQuotes: operation({
    ...shared,
    path: '/v1beta1/crypto-perps/{loc}/latest/quotes',
    summary: 'The latest quotes of perpetuals.',
    output: record({ quotes: map(CryptoQuote) }),
  }),
  perpsLatestOrderbooks: operation({
    ...shared,
    path: '/v1beta1/crypto-perps/{loc}/latest/orderbooks',
    summary: 'The order books of perpetuals.',
    output: record({ orderbooks: map(Book) }),
  }),
  perpsLatestPricing: operation({
    ...shared,
    path: '/v1beta1/crypto-perps/{loc}/latest/pricing',
    summary: 'Index, mark and funding of perpetuals.',
    output: record({ pricing: map(Pricing) }),
  }),
}
