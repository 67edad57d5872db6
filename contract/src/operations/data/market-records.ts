import { array, date, integer, number, oneOf, optional, record, text, timestamp } from '../../shape/index.ts'

/** Market data is in JSON numbers, with the protocol's short keys. */
export const Bar = record({
  t: timestamp().about('The start of the interval.'),
  o: number().about('First price.'),
  h: number().about('Highest price.'),
  l: number().about('Lowest price.'),
  c: number().about('Last price.'),
  v: integer().about('Shares traded.'),
  n: integer().about('Number of trades.'),
  vw: number().about('Average price by volume.'),
}).named('Bar')

export const Trade = record({
  t: timestamp(),
  x: text().about('The exchange, a letter.'),
  p: number().about('Price.'),
  s: integer().about('Shares.'),
  c: array(text()).about('Conditions.'),
  i: integer().about('The id of the trade.'),
  z: text().about('The tape: A, B, C, N or O.'),
  u: optional(oneOf('canceled', 'incorrect', 'corrected')).about('What became of it since.'),
}).named('Trade')

export const Quote = record({
  t: timestamp(),
  ax: text(),
  ap: number().about('Best ask; 0 means none.'),
  as: integer(),
  bx: text(),
  bp: number().about('Best bid; 0 means none.'),
  bs: integer(),
  c: array(text()),
  z: text(),
}).named('Quote')

export const Snapshot = record({
  latestTrade: optional(Trade),
  latestQuote: optional(Quote),
  minuteBar: optional(Bar).about('The newest finished minute.'),
  dailyBar: optional(Bar).about('The day so far.'),
  prevDailyBar: optional(Bar).about('The trading day before.'),
}).named('Snapshot')

const Auction = record({
  t: timestamp(),
  x: text(),
  p: number(),
  s: optional(integer()),
  c: text().about('One condition: O or Q of the open, 6 or M of the close.'),
}).named('Auction')

export const DailyAuctions = record({
  d: date(),
  o: array(Auction).about('Of the open.'),
  c: array(Auction).about('Of the close.'),
}).named('DailyAuctions')

const column = () => array(number())

export const Candles = record({
  time: array(integer()).about('Milliseconds since 1970 of the start of each interval.'),
  open: column(),
  high: column(),
  low: column(),
  close: column(),
  volume: column(),
}).named('Candles')
