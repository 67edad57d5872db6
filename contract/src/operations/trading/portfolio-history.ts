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
  text,
  withDefault,
} from '../../shape/index.ts'
import { timeframeAmong } from '../data/market-parameters.ts'
import { activityTypes } from './activities.ts'

const timeframes = ['1Min', '5Min', '15Min', '1H', '1D'] as const
const points = <Item>(item: Parameters<typeof array<Item, Item>>[0]) =>
  array(item, { max: Number.MAX_SAFE_INTEGER })

export const PortfolioHistory = record({
  timestamp: points(integer()).about(
    'Seconds since 1970: the beginning of each frame; of a day, its 20:00 in New York.',
  ),
  equity: points(number()).about('At the end of the frame.'),
  profit_loss: points(number()).about('Equity less the base value and less what came from outside since.'),
  profit_loss_pct: points(nullable(number())).about('The same as a share of the base value.'),
  base_value: number(),
  base_value_asof: optional(date()).about(
    'The day whose close the base value is from; absent where the base is what the account was opened with.',
  ),
  timeframe: oneOf(...timeframes),
  cashflow: optional(map(points(number()))).about(
    'What came and went in each frame, by type of activity; journaled shares at their price.',
  ),
}).named('PortfolioHistory')

export const portfolioHistory = {
  getPortfolioHistory: operation({
    family: 'trading',
    method: 'GET',
    path: '/v2/account/portfolio/history',
    summary: 'What the account was worth over time, and what it won or lost.',
    who: ['account'],
    scope: 'read',
    query: record({
      period: optional(
        text({ pattern: /^[1-9]\d{0,3}[DWMA]$/, called: 'a period such as 1D, 2W, 3M or 1A', max: 5 }),
      ),
      timeframe: optional(timeframeAmong(...timeframes)).about('1Min below 7 days, 15Min below 30, else 1D.'),
      start: optional(moment()),
      end: optional(moment()),
      date_start: optional(date()).about('The first day, where start is not given.'),
      date_end: optional(date()).about('The last day, where end is not given.'),
      intraday_reporting: optional(oneOf('market_hours', 'extended_hours', 'continuous')),
      extended_hours: optional(bool()).about(
        'True: intraday_reporting is extended_hours unless it is given.',
      ),
      pnl_reset: withDefault(oneOf('per_day', 'no_reset'), 'per_day').about('Of frames below a day.'),
      cashflow_types: optional(list(oneOf('ALL', 'NONE', ...activityTypes))),
    }).refine(({ start, date_start, end, date_end, period }) =>
      (start || date_start) && (end || date_end) && period
        ? { field: 'period', message: 'only two of start, end and period are accepted' }
        : undefined,
    ),
    output: PortfolioHistory,
    status: 200,
    errors: ['invalidParameter', 'upstreamUnavailable'],
    state: 'works',
  }),
}
