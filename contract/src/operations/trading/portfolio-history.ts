import { operation } from '../../operation.ts'
import {
  array,
  bool,
  date,
  integer,
  list,
  map,
  moment,
  nullable,
  number,
  oneOf,
  optional,
  record,
  type Shape,
  sentDate,
  text,
  withDefault,
} from '../../shape/index.ts'
import { timeframeAmong } from '../data/market-parameters.ts'
import { activityTypes } from './activities.ts'

const timeframes = ['1Min', '5Min', '15Min', '1H', '1D'] as const
const points = <Item, Wire>(item: Shape<Item, Wire>) => array(item, { max: Number.MAX_SAFE_INTEGER })

export const PortfolioHistory = record({
  timestamp: points(integer()).about(
    'Start of each frame, in seconds since 1970. For days: 20:00 in New York.',
  ),
  equity: points(number()).about('Equity at the end of the frame.'),
  profit_loss: points(number()).about(
    'Equity minus base_value, minus deposits and other transfers since then.',
  ),
  profit_loss_pct: points(nullable(number())).about('profit_loss as a fraction of base_value.'),
  base_value: number(),
  base_value_asof: optional(date()).about(
    'Day of base_value, which is the equity at its close. Absent if base_value is the opening balance of the account.',
  ),
  timeframe: oneOf(...timeframes),
  cashflow: optional(map(points(number()))).about(
    'Cash flow of each frame by activity type. Journaled shares count at their price.',
  ),
}).named('PortfolioHistory')

const read = { family: 'trading', who: ['account'], scope: 'read' } as const

export const portfolioHistory = {
  getPortfolioHistory: operation('GET /v2/account/portfolio/history', read, {
    summary: 'Get equity and profit or loss of the account over time.',
    query: record({
      period: optional(
        text({ pattern: /^[1-9]\d{0,3}[DWMA]$/, expected: 'a period such as 1D, 2W, 3M or 1A', max: 5 }),
      ),
      timeframe: optional(timeframeAmong(...timeframes)).about(
        'Default: 1Min below 7 days, 15Min below 30 days, otherwise 1D.',
      ),
      start: optional(moment()),
      end: optional(moment()),
      date_start: optional(sentDate()).about('First day, if start is omitted.'),
      date_end: optional(sentDate()).about('Last day, if end is omitted.'),
      intraday_reporting: optional(oneOf('market_hours', 'extended_hours', 'continuous')),
      extended_hours: optional(bool()).about('true: the default of intraday_reporting is extended_hours.'),
      pnl_reset: withDefault(oneOf('per_day', 'no_reset'), 'per_day').about('For frames below one day.'),
      cashflow_types: optional(list(oneOf('ALL', 'NONE', ...activityTypes))),
    }).refine(({ start, date_start, end, date_end, period }) =>
      (start || date_start) && (end || date_end) && period
        ? { field: 'period', message: 'only two of start, end and period are accepted' }
        : undefined,
    ),
    output: PortfolioHistory,
    errors: ['invalidParameter', 'upstreamUnavailable'],
  }),
}
