import { array, integer, number, oneOf, record, timestamp } from '../../shape/index.ts'

/** As a bar of stocks, but its volume may be a fraction. */
export const CryptoBar = record({
  t: timestamp().about('The start of the interval.'),
  o: number().about('First price.'),
  h: number().about('Highest price.'),
  l: number().about('Lowest price.'),
  c: number().about('Last price.'),
  v: number().about('Coins traded; 0 where only quotes moved.'),
  n: integer().about('Number of trades.'),
  vw: number().about('Average price by volume; 0 without trades.'),
}).named('CryptoBar')

export const CryptoTrade = record({
  t: timestamp(),
  p: number().about('Price.'),
  s: number().about('Coins.'),
  i: integer().about('The id of the trade.'),
  tks: oneOf('B', 'S', '-').about('Who took: the buyer, the seller, or unknown.'),
}).named('CryptoTrade')

export const CryptoQuote = record({
  t: timestamp(),
  bp: number().about('Best bid.'),
  bs: number(),
  ap: number().about('Best ask.'),
  as: number(),
}).named('CryptoQuote')

const Level = record({ p: number(), s: number() }).named('BookLevel')

export const Book = record({
  t: timestamp(),
  b: array(Level).about('Bids, best first.'),
  a: array(Level).about('Asks, best first.'),
}).named('Orderbook')
