import {
  type Asset,
  type Instant,
  instantOfMicros,
  later,
  microsBefore,
  type Print,
  type ReportingError,
  type ReportingErrors,
  type Tape,
  type TickQuery,
  type Trade,
} from '@quipu/core'
import { pauseWork } from '../../clock/long-work.ts'
import { tradeOf, tradePrice } from './trade.ts'

/** An erroneous trade is reported half a microsecond after a real one, with an id outside the usual range. */
const BESIDE_NS = 500n
const WRONG_IDS = 10_000_000
const TICKS_AT_ONCE = 2000

/** The first, wrong report of a trade. */
export function wrongOf(asset: Asset, print: Print, { wrong }: ReportingError): Trade {
  const trade = tradeOf(asset, print)
  return {
    ...trade,
    at: later(trade.at, BESIDE_NS),
    id: trade.id + WRONG_IDS,
    price: tradePrice(wrong, asset),
  }
}

/** The reported versions of a print at a time, oldest first. */
export function knownOf(
  asset: Asset,
  print: Print,
  error: ReportingError | undefined,
  now: Instant,
): readonly Trade[] {
  const trade = tradeOf(asset, print)
  if (!error) return [trade]
  const reportedAt = instantOfMicros(error.at)
  const isRight = reportedAt <= now
  if (error.kind === 'late') return isRight ? [{ ...trade, reportedAt }] : []
  const wrong = wrongOf(asset, print, error)
  if (error.kind === 'canceled') return [trade, isRight ? { ...wrong, update: 'canceled' } : wrong]
  return isRight
    ? [
        { ...trade, reportedAt, update: 'corrected' },
        { ...wrong, update: 'incorrect' },
      ]
    : [wrong]
}

/** The selected trades of a symbol with late or corrected trades. */
export async function reportedTrades(
  tape: Tape,
  asset: Asset,
  errors: ReportingErrors,
  query: TickQuery,
): Promise<readonly Trade[]> {
  const { now, limit, sort } = query
  const backwards = sort === 'desc'
  const isSelected = isSelectedBy(query)
  const trades: Trade[] = []
  let [from, to] = microsRange(query, backwards)
  for (;;) {
    const part = tape.prints(from, to, TICKS_AT_ONCE, backwards)
    for (const print of part) {
      const known = knownOf(asset, print, errors(print), now)
      for (const trade of backwards ? known.toReversed() : known)
        if (isSelected(trade) && trades.length < limit) trades.push(trade)
    }
    const last = part.at(-1)
    if (!last || part.length < TICKS_AT_ONCE || trades.length >= limit) return trades
    if (backwards) to = last.at - 1
    else from = last.at + 1
    await pauseWork()
  }
}

function microsRange({ from, to, now, after }: TickQuery, backwards: boolean): [number, number] {
  const [first, last] = [Math.max(0, microsBefore(from)), microsBefore(to < now ? to : now)]
  if (after === undefined) return [first, last]
  const cursor = microsBefore(after.at)
  return backwards ? [first, Math.min(last, cursor)] : [Math.max(first, cursor), last]
}

/** Whether an item is within the bounds of a query and after its cursor. */
export function isSelectedBy({ from, to, now, after, sort }: TickQuery) {
  const end = to < now ? to : now
  return ({ at, id }: { readonly at: Instant; readonly id: number }): boolean => {
    if (at < from || at > end) return false
    if (after === undefined) return true
    const isLater = at > after.at || (at === after.at && id > after.id)
    const isEarlier = at < after.at || (at === after.at && id < after.id)
    return sort === 'asc' ? isLater : isEarlier
  }
}
