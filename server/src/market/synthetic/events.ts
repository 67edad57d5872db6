import {
  type Asset,
  barOf,
  firstReported,
  foldList,
  instantOfMicros,
  microsAfter,
  microsBefore,
  type Print,
  REVISED_MICROS,
  type ReportingErrors,
  type Span,
  scaleOf,
  type Tape,
  type TapeMessage,
  type TickQuery,
  type Trade,
} from '@quipu/core'
import { pause } from '../../process/long-work.ts'
import { imbalancesOf } from './imbalances.ts'
import { isSelectedBy, wrongOf } from './reports.ts'
import { tradeOf } from './trade.ts'

const MINUTE_MICROS = 60_000_000
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
    if (step % MINUTES_AT_ONCE === MINUTES_AT_ONCE - 1) await pause()
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
