import { operation } from '../../operation.ts'
import {
  array,
  bool,
  date,
  dayNamed,
  list,
  moment,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  withDefault,
} from '../../shape/index.ts'

/** Every market the protocol names, by acronym or code. */
export const marketCodes = [
  'BMO',
  'BNYM',
  'BOATS',
  'CEUX',
  'CHIX',
  'HKEX',
  'IEX',
  'IEXG',
  'ISE',
  'LSE',
  'MTA',
  'MTAA',
  'NASDAQ',
  'NYSE',
  'OCEA',
  'OPRA',
  'OTC',
  'OTCM',
  'SIFMA',
  'TADAWUL',
  'XAMS',
  'XBRU',
  'XDUB',
  'XETR',
  'XETRA',
  'XHKG',
  'XLIS',
  'XLON',
  'XNAS',
  'XNYS',
  'XPAR',
  'XSAU',
] as const

export const Clock = record({
  timestamp: timestamp().about('With the offset of New York, as the other two.'),
  is_open: bool(),
  next_open: timestamp(),
  next_close: timestamp(),
}).named('Clock')

export const CalendarDay = record({
  date: date(),
  open: text().about('In New York, `09:30`.'),
  close: text().about('In New York, `16:00`; earlier on short days.'),
  session_open: text().about('When the market before the regular one begins, `0400`.'),
  session_close: text().about('When the market after the regular one ends, `2000`.'),
  settlement_date: date().about('The next trading day on which banks are open.'),
}).named('CalendarDay')

export const Market = record({
  mic: optional(text()),
  bic: optional(text()),
  acronym: text(),
  name: text(),
  timezone: text(),
}).named('Market')

export const MarketDay = record({
  date: date(),
  pre_start: optional(timestamp()),
  pre_end: optional(timestamp()),
  core_start: timestamp(),
  core_end: timestamp(),
  lunch_start: optional(timestamp()),
  lunch_end: optional(timestamp()),
  post_start: optional(timestamp()),
  post_end: optional(timestamp()),
  settlement_date: optional(date()),
}).named('MarketDay')

export const MarketClock = record({
  market: Market,
  timestamp: timestamp().about('With the offset of the market, as all others.'),
  is_market_day: bool(),
  next_market_open: timestamp(),
  next_market_close: timestamp(),
  phase: oneOf('closed', 'pre', 'core', 'lunch', 'post'),
  phase_until: timestamp(),
}).named('MarketClock')

const BACKWARDS = 'end should not be before start'

/** The third version answers 400 where the second answers 422. */
const as400 = 'invalidDataParameter'
const market = oneOf(...marketCodes).refusedAs(as400)

const shared = {
  family: 'trading',
  method: 'GET',
  who: ['account'],
  scope: 'read',
  status: 200,
  state: 'works',
} as const

export const calendar = {
  getClock: operation({
    ...shared,
    path: '/v2/clock',
    summary: 'The time of the world and the next regular open and close.',
    output: Clock,
    errors: [],
  }),
  getMarketClocks: operation({
    ...shared,
    path: '/v3/clock',
    summary: 'The time, the phase and the next open and close of markets.',
    query: record({
      markets: withDefault(list(market, { max: 100 }), ['NYSE']),
      time: optional(moment().refusedAs(as400)).about('Now, unless said.'),
    }),
    output: record({ clocks: array(MarketClock) }),
    errors: [as400, 'marketNotFound', 'outsideCalendar'],
  }),
  getCalendar: operation({
    ...shared,
    path: '/v2/calendar',
    summary: 'The trading days of the New York exchanges from 1970 to 2050, short ones included.',
    query: record({
      start: optional(dayNamed()).about('The first day; both ends are included.'),
      end: optional(dayNamed()),
      date_type: withDefault(oneOf('TRADING', 'SETTLEMENT'), 'TRADING').about('What start and end are of.'),
    }).refine(({ start, end }) =>
      start !== undefined && end !== undefined && end < start
        ? { field: 'end', message: BACKWARDS }
        : undefined,
    ),
    output: array(CalendarDay, { max: 50_000 }),
    errors: ['invalidParameter'],
  }),
  getMarketCalendar: operation({
    ...shared,
    path: '/v3/calendar/{market}',
    summary: 'The trading days of a market, phase by phase.',
    params: record({ market }),
    query: record({
      start: optional(dayNamed().refusedAs(as400)).about('Today, unless said.'),
      end: optional(dayNamed().refusedAs(as400)).about('A week after start, unless said.'),
      timezone: optional(oneOf('UTC').refusedAs(as400)).about("Times in UTC; the market's own, unless said."),
    }).refine(({ start, end }) =>
      start !== undefined && end !== undefined && end < start
        ? { field: 'end', message: BACKWARDS, error: as400 }
        : undefined,
    ),
    output: record({ market: Market, calendar: array(MarketDay, { max: 50_000 }) }),
    errors: [as400, 'marketNotFound'],
  }),
}
