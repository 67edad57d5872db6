import type { InputOf } from '@quipu/contract'
import {
  addDays,
  DAY,
  daysOf,
  EPOCH,
  earlier,
  fromNewYork,
  type HistoryFrame,
  type Instant,
  type Period,
  periodEnd,
  periodStart,
  type Reporting,
  type WindowsQuery,
} from '@quipu/core'
import { endOf, startOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'

type PortfolioRangeQuery = InputOf<'getPortfolioHistory'>['query']

const frames = { '1Min': 1, '5Min': 5, '15Min': 15, '1H': 60, '1D': 'day' } as const satisfies Record<
  NonNullable<PortfolioRangeQuery['timeframe']>,
  HistoryFrame
>
const reportings = {
  market_hours: 'regular',
  extended_hours: 'extended',
  continuous: 'continuous',
} as const satisfies Record<NonNullable<PortfolioRangeQuery['intraday_reporting']>, Reporting>
const units = { D: 'day', W: 'week', M: 'month', A: 'year' } as const

/** The maximum range of intraday frames. */
const INTRADAY_DAYS_MAX = 30
/** No account has an earlier history. */
const FIRST = EPOCH
const MONTH: Period = { count: 1, unit: 'month' }

export type PortfolioRange = WindowsQuery & {
  readonly timeframe: NonNullable<PortfolioRangeQuery['timeframe']>
}

/** The range of a query in instants. */
export function portfolioRange(query: PortfolioRangeQuery, now: Instant): PortfolioRange {
  const period = query.period === undefined ? undefined : periodOf(query.period)
  const start = firstOf(query)
  const end = lastOf(query, start, period, now)
  const span = start === undefined ? daysOf(period ?? MONTH) : Number((end - start + DAY - 1n) / DAY)
  const timeframe = query.timeframe ?? (span < 7 ? '1Min' : span < INTRADAY_DAYS_MAX ? '15Min' : '1D')
  const frame = frames[timeframe]
  const reporting = frame === 'day' ? 'regular' : reportingOf(query)
  const wanted = start ?? periodStart(end, period ?? MONTH, reporting)
  const from = wanted < FIRST ? FIRST : wanted
  if (from > end) throw refused('start must be before end')
  if (frame !== 'day' && span > INTRADAY_DAYS_MAX)
    throw refused(`timeframe ${timeframe} reaches over at most ${INTRADAY_DAYS_MAX} days`)
  return { from, to: end, now, frame, reporting, timeframe }
}

/** The hours of intraday frames; daily frames use regular sessions. */
const reportingOf = ({
  intraday_reporting: hours,
  extended_hours: extended,
}: PortfolioRangeQuery): Reporting => reportings[hours ?? (extended ? 'extended_hours' : 'market_hours')]

const firstOf = ({ start, date_start: date }: PortfolioRangeQuery): Instant | undefined =>
  start ? startOf(start) : date === undefined ? undefined : fromNewYork(date, 0)

/** The end of the range, at most now. */
function lastOf(
  query: PortfolioRangeQuery,
  start: Instant | undefined,
  period: Period | undefined,
  now: Instant,
): Instant {
  const wanted = query.end
    ? endOf(query.end)
    : query.date_end
      ? earlier(fromNewYork(addDays(query.date_end, 1), 0), 1n)
      : start !== undefined && period
        ? earlier(periodEnd(start, period), 1n)
        : now
  return wanted < now ? wanted : now
}

const periodOf = (text: string): Period => ({
  count: Number(text.slice(0, -1)),
  unit: units[text.at(-1) as keyof typeof units],
})

const refused = (problem: string) => refuse({ code: 'invalidParameter', problem })
