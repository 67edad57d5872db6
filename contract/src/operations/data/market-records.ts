import { array, date, integer, number, oneOf, optional, record, text, timestamp } from '../../shape/index.ts'

/** Market data is in JSON numbers, with the protocol's short keys. */
export const BarShape = record({
  t: timestamp().about('Start of the interval.'),
  o: number().about('Open price.'),
  h: number().about('High price.'),
  l: number().about('Low price.'),
  c: number().about('Close price.'),
  v: integer().about('Volume in shares.'),
  n: integer().about('Number of trades.'),
  vw: number().about('Volume-weighted average price.'),
}).named('Bar')

export const TradeShape = record({
  t: timestamp(),
  x: text().about('Exchange code.'),
  p: number().about('Price.'),
  s: integer().about('Size in shares.'),
  c: array(text()).about('Condition codes.'),
  i: integer().about('Trade id.'),
  z: text().about('Tape: A, B, C, N or O.'),
  u: optional(oneOf('canceled', 'incorrect', 'corrected')).about(
    'Present if the trade was canceled or corrected later.',
  ),
}).named('Trade')

export const QuoteShape = record({
  t: timestamp(),
  ax: text(),
  ap: number().about('Best ask. 0: none.'),
  as: integer(),
  bx: text(),
  bp: number().about('Best bid. 0: none.'),
  bs: integer(),
  c: array(text()),
  z: text(),
}).named('Quote')

export const Snapshot = record({
  latestTrade: optional(TradeShape),
  latestQuote: optional(QuoteShape),
  minuteBar: optional(BarShape).about('Latest complete minute.'),
  dailyBar: optional(BarShape).about('Current day so far.'),
  prevDailyBar: optional(BarShape).about('Previous trading day.'),
}).named('Snapshot')

const Auction = record({
  t: timestamp(),
  x: text(),
  p: number(),
  s: optional(integer()),
  c: text().about('Condition code: O or Q for the open, 6 or M for the close.'),
}).named('Auction')

export const DailyAuctionsShape = record({
  d: date(),
  o: array(Auction).about('Opening auctions.'),
  c: array(Auction).about('Closing auctions.'),
}).named('DailyAuctions')

const column = () => array(number())

export const CandlesShape = record({
  time: array(integer()).about('Start of each interval, in milliseconds since 1970.'),
  open: column(),
  high: column(),
  low: column(),
  close: column(),
  volume: column(),
}).named('Candles')
