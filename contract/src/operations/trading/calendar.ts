import { operation } from '../../operation.ts'
import {
  array,
  bool,
  date,
  dateOrTimestamp,
  list,
  moment,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  withDefault,
} from '../../shape/index.ts'

/** All markets of the protocol, by acronym or code. */
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
  timestamp: timestamp().about('All times have the offset of New York.'),
  is_open: bool(),
  next_open: timestamp(),
  next_close: timestamp(),
}).named('Clock')

export const CalendarDay = record({
  date: date(),
  open: text().about('New York time, `09:30`.'),
  close: text().about('New York time, `16:00`; earlier on short days.'),
  session_open: text().about('Start of pre-market trading, `0400`.'),
  session_close: text().about('End of after-hours trading, `2000`.'),
  settlement_date: date().about('Next trading day on which banks are open.'),
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
  timestamp: timestamp().about('All times have the offset of the market.'),
  is_market_day: bool(),
  next_market_open: timestamp(),
  next_market_close: timestamp(),
  phase: oneOf('closed', 'pre', 'core', 'lunch', 'post'),
  phase_until: timestamp(),
}).named('MarketClock')

const END_BEFORE_START = 'end should not be before start'

/** /v3 returns 400 where /v2 returns 422. */
const as400 = 'invalidDataParameter'
const market = oneOf(...marketCodes).refusedAs(as400)

const shared = { family: 'trading', who: ['account'], scope: 'read' } as const

export const calendar = {
  getClock: operation('GET /v2/clock', shared, {
    summary: 'Get the time of the world and the next open and close of the regular session.',
    output: Clock,
  }),
  getMarketClocks: operation('GET /v3/clock', shared, {
    summary: 'Get the time, the phase and the next open and close of markets.',
    query: record({
      markets: withDefault(list(market, { max: 100 }), ['NYSE']),
      time: optional(moment().refusedAs(as400)).about('Default: now.'),
    }),
    output: record({ clocks: array(MarketClock) }),
    errors: [as400, 'marketNotFound', 'outsideCalendar'],
  }),
  getCalendar: operation('GET /v2/calendar', shared, {
    summary: 'List trading days of the New York exchanges from 1970 to 2050, including short days.',
    query: record({
      start: optional(dateOrTimestamp()).about('First day (inclusive).'),
      end: optional(dateOrTimestamp()).about('Last day (inclusive).'),
      date_type: withDefault(oneOf('TRADING', 'SETTLEMENT'), 'TRADING').about(
        'Kind of date that start and end filter by.',
      ),
    }).refine(({ start, end }) =>
      start !== undefined && end !== undefined && end < start
        ? { field: 'end', message: END_BEFORE_START }
        : undefined,
    ),
    output: array(CalendarDay, { max: 50_000 }),
    errors: ['invalidParameter'],
  }),
  getMarketCalendar: operation('GET /v3/calendar/{market}', shared, {
    summary: 'List trading days of a market with their phases.',
    params: record({ market }),
    query: record({
      start: optional(dateOrTimestamp().refusedAs(as400)).about('Default: today.'),
      end: optional(dateOrTimestamp().refusedAs(as400)).about('Default: one week after start.'),
      timezone: optional(oneOf('UTC').refusedAs(as400)).about(
        'UTC: times in UTC. Default: the time zone of the market.',
      ),
    }).refine(({ start, end }) =>
      start !== undefined && end !== undefined && end < start
        ? { field: 'end', message: END_BEFORE_START, error: as400 }
        : undefined,
    ),
    output: record({ market: Market, calendar: array(MarketDay, { max: 50_000 }) }),
    errors: [as400, 'marketNotFound'],
  }),
}
