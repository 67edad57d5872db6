import {
  type Asset,
  barOf,
  firstReported,
  foldList,
  type Instant,
  instantOfMicros,
  type MarketSession,
  MINUTE_MICROS,
  microsAfter,
  microsBefore,
  newYork,
  type Print,
  REVISED_MICROS,
  type ReportingErrors,
  type Span,
  scaleOf,
  sessionsBetween,
  type Tape,
  type TapeMessage,
  type TickQuery,
  type Trade,
} from '@quipu/core'
import { pauseWork } from '../../clock/long-work.ts'
import { isSelectedBy, wrongOf } from './reports.ts'
import { tapeOf, tradeOf, tradePrice } from './trade.ts'

const MINUTES_AT_ONCE = 20

/** The selected events: fixed notices, and late, corrected and canceled trades, minute by minute. */
export async function eventsOf(
  tape: Tape,
  asset: Asset,
  errors: ReportingErrors | undefined,
  notices: readonly TapeMessage[],
  query: TickQuery,
): Promise<readonly TapeMessage[]> {
  const isSelected = isSelectedBy(query)
  const found = [...notices.filter(isSelected), ...imbalancesOf(tape, asset, query)]
  if (errors) found.push(...(await revisions(tape, asset, errors, query)))
  return found.sort(byTime(query.sort)).slice(0, query.limit)
}

const byTime =
  (sort: TickQuery['sort']) =>
  (a: TapeMessage, b: TapeMessage): number => {
    const order = a.at === b.at ? a.id - b.id : a.at < b.at ? -1 : 1
    return sort === 'asc' ? order : -order
  }

async function revisions(
  tape: Tape,
  asset: Asset,
  errors: ReportingErrors,
  query: TickQuery,
): Promise<TapeMessage[]> {
  const { from, to, now, sort, limit, after } = query
  const isSelected = isSelectedBy(query)
  const lower = after && sort === 'asc' && after.at > from ? after.at : from
  const upper = [to, now, ...(after && sort === 'desc' ? [after.at] : [])].reduce((a, b) => (a < b ? a : b))
  // A revision between two marks belongs to the minute before the first mark.
  const first = Math.floor(Math.max(MINUTE_MICROS, microsAfter(lower) - REVISED_MICROS) / MINUTE_MICROS)
  const last = Math.floor(microsBefore(upper) / MINUTE_MICROS)
  const found: TapeMessage[] = []
  for (let step = 0; step <= last - first && found.length < limit; step++) {
    if (step % MINUTES_AT_ONCE === MINUTES_AT_ONCE - 1) await pauseWork()
    const mark = (sort === 'asc' ? first + step : last - step) * MINUTE_MICROS
    found.push(...revisionsAt(tape, asset, errors, mark).filter(isSelected))
  }
  return found
}

/** The revisions of the minute that ends at a mark. */
function revisionsAt(tape: Tape, asset: Asset, errors: ReportingErrors, mark: number): TapeMessage[] {
  const start = mark - MINUTE_MICROS
  const prints = tape.prints(start, mark - 1, Number.POSITIVE_INFINITY)
  const events = prints.flatMap((print) => revisionOf(asset, print, errors) ?? [])
  const span = events.length === 0 ? undefined : tape.fold(start, mark)
  if (span && !isSame(span, foldList(firstReported(prints, errors))))
    events.push({
      kind: 'updatedBar',
      at: instantOfMicros(mark + REVISED_MICROS),
      id: mark / MINUTE_MICROS,
      bar: barOf(span, start, scaleOf(asset)),
    })
  return events
}

function revisionOf(asset: Asset, print: Print, errors: ReportingErrors): TapeMessage | undefined {
  const error = errors(print)
  if (!error) return undefined
  const trade = tradeOf(asset, print)
  const report = { at: instantOfMicros(error.at), id: trade.id }
  if (error.kind === 'late')
    return { ...report, kind: 'lateTrade', trade: { ...trade, reportedAt: report.at } }
  const wrong = wrongOf(asset, print, error)
  if (error.kind === 'canceled') return { ...report, kind: 'cancel', trade: wrong, action: 'C' }
  const { exchange, tape } = trade
  return {
    ...report,
    kind: 'correction',
    exchange,
    tape,
    original: termsOf(wrong),
    corrected: termsOf(trade),
  }
}

const termsOf = ({ id, price, size, conditions }: Trade) => ({ id, price, size, conditions })

const SHAPE = ['open', 'high', 'low', 'close', 'volume', 'trades', 'turnover'] as const
const isSame = (one: Span, other: Span | undefined): boolean =>
  other !== undefined && SHAPE.every((field) => one[field] === other[field])

/** Each minute of the last five before the open, and of the last ten before the close. */
const BEFORE_OPEN = 5
const BEFORE_CLOSE = 10

/** Imbalance messages before an auction, with the indicative price, which is that of the last trade. */
function imbalancesOf(tape: Tape, asset: Asset, query: TickQuery): readonly TapeMessage[] {
  if (asset.class !== 'usEquity') return []
  const isSelected = isSelectedBy(query)
  const { from, to, now, sort, limit } = query
  const end = to < now ? to : now
  if (from > end) return []
  const sessions = sessionsBetween(newYork(from).date, newYork(end).date)
  const found: TapeMessage[] = []
  for (const session of sort === 'asc' ? sessions : sessions.toReversed()) {
    // Each price takes a search, so only the selected minutes get one.
    const messages = marksOf(session, microsAfter(from), microsBefore(end))
      .filter((mark) => isSelected({ at: instantOfMicros(mark), id: mark / MINUTE_MICROS }))
      .flatMap((mark) => imbalanceAt(tape, asset, mark) ?? [])
    found.push(...(sort === 'asc' ? messages : messages.toReversed()))
    if (found.length >= limit) break
  }
  return found
}

/** The minutes of imbalance messages near a range. A stream asks minute by minute, and most minutes of a day have none. */
function marksOf({ open, close }: MarketSession, first: number, last: number): readonly number[] {
  const before = (at: Instant, minutes: number): number[] => {
    const auction = microsBefore(at)
    if (first >= auction || last < auction - minutes * MINUTE_MICROS) return []
    return Array.from({ length: minutes }, (_, index) => auction - (minutes - index) * MINUTE_MICROS)
  }
  return [...before(open, BEFORE_OPEN), ...before(close, BEFORE_CLOSE)]
}

function imbalanceAt(tape: Tape, asset: Asset, mark: number): TapeMessage | undefined {
  const last = tape.last(mark)
  return (
    last && {
      kind: 'imbalance',
      at: instantOfMicros(mark),
      id: mark / MINUTE_MICROS,
      price: tradePrice(last.price, asset),
      tape: tapeOf(asset),
    }
  )
}
