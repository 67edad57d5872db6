import {
  type Asset,
  type Instant,
  instantOfMicros,
  microsBefore,
  newYork,
  type Session,
  sessionsBetween,
  type Tape,
  type TapeMessage,
  type TickQuery,
} from '@quipu/core'
import { isSelectedBy } from './reports.ts'
import { priceOf, tapeOf } from './trade.ts'

const MINUTE_MICROS = 60_000_000
/** Each minute of the last five before the open, and of the last ten before the close. */
const BEFORE_OPEN = 5
const BEFORE_CLOSE = 10

/** Imbalance messages before an auction, with the indicative price, which is that of the last trade. */
export function imbalancesOf(tape: Tape, asset: Asset, query: TickQuery): readonly TapeMessage[] {
  if (asset.class !== 'usEquity') return []
  const isSelected = isSelectedBy(query)
  const { from, to, now, sort, limit } = query
  const end = to < now ? to : now
  if (from > end) return []
  const sessions = sessionsBetween(newYork(from).date, newYork(end).date)
  const found: TapeMessage[] = []
  for (const session of sort === 'asc' ? sessions : sessions.toReversed()) {
    const messages = marksOf(session)
      .flatMap((mark) => imbalanceAt(tape, asset, mark) ?? [])
      .filter(isSelected)
    found.push(...(sort === 'asc' ? messages : messages.toReversed()))
    if (found.length >= limit) break
  }
  return found
}

function marksOf({ open, close }: Session): readonly number[] {
  const before = (at: Instant, minutes: number): number[] =>
    Array.from({ length: minutes }, (_, index) => microsBefore(at) - (minutes - index) * MINUTE_MICROS)
  return [...before(open, BEFORE_OPEN), ...before(close, BEFORE_CLOSE)]
}

function imbalanceAt(tape: Tape, asset: Asset, mark: number): TapeMessage | undefined {
  const last = tape.last(mark)
  return (
    last && {
      kind: 'imbalance',
      at: instantOfMicros(mark),
      id: mark / MINUTE_MICROS,
      price: priceOf(last.price, asset),
      tape: tapeOf(asset),
    }
  )
}
