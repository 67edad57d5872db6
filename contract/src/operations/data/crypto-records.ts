import { array, integer, number, oneOf, record, timestamp } from '../../shape/index.ts'
import { BarShape } from './market-records.ts'

/** A bar whose volume may be fractional. */
export const CryptoBar = record({
  ...BarShape.fields,
  v: number().about('Volume in coins. 0 if only quotes changed.'),
  vw: number().about('Volume-weighted average price. 0 without trades.'),
}).named('CryptoBar')

export const CryptoTrade = record({
  t: timestamp(),
  p: number().about('Price.'),
  s: number().about('Size in coins.'),
  i: integer().about('Trade id.'),
  tks: oneOf('B', 'S', '-').about('Taker side: buyer, seller or unknown.'),
}).named('CryptoTrade')

export const CryptoQuote = record({
  t: timestamp(),
  bp: number().about('Best bid.'),
  bs: number(),
  ap: number().about('Best ask.'),
  as: number(),
}).named('CryptoQuote')

const Level = record({ p: number(), s: number() }).named('BookLevel')

export const BookShape = record({
  t: timestamp(),
  b: array(Level).about('Bids, best first.'),
  a: array(Level).about('Asks, best first.'),
}).named('Orderbook')
