import type { ActivityType, InputOf, PortfolioHistoryRecord } from '@quipu/contract'
import {
  type CivilDate,
  divide,
  entryIn,
  type HistoryWindow,
  type Instant,
  later,
  type Money,
  NO_MONEY,
  previousSession,
} from '@quipu/core'
import type { PortfolioRange } from './portfolio-range.ts'

/** One frame of the history: its window, the equity at its end, and the gain since its base. */
export type PortfolioPoint = {
  readonly window: HistoryWindow
  readonly worth: Money
  readonly gain: bigint
  readonly base: Money
}

/** The history, and its frames before they are rounded. */
export type PortfolioPoints = {
  readonly record: PortfolioHistoryRecord
  readonly points: readonly PortfolioPoint[]
}

/** External flows, and the part with which the account was opened. */
export type ExternalFlows = { readonly opening: Money; readonly before: ReadonlyMap<Instant, Money> }

/** What the points of a history are computed from. */
export type HistoryFacts = {
  readonly range: PortfolioRange
  readonly query: Pick<InputOf<'getPortfolioHistory'>['query'], 'pnl_reset'>
  readonly windows: readonly HistoryWindow[]
  readonly opened: Instant
  readonly equity: ReadonlyMap<Instant, Money>
  readonly external: ExternalFlows
  readonly flows: ReadonlyMap<ActivityType, readonly Money[]> | undefined
}

/** A gain is the growth of equity since its base, without external flows. */
export function portfolioOf(facts: HistoryFacts): PortfolioPoints {
  const { range, query, windows, opened, equity, external, flows } = facts
  const { now, frame, timeframe } = range
  const earned = (instant: Instant): bigint => entryIn(equity, instant) - entryIn(external.before, instant)
  const baseFor = (date: CivilDate | undefined) => {
    const close = closeWithin(date, opened)
    return close === undefined
      ? { worth: external.opening, earned: 0n }
      : { worth: entryIn(equity, close), earned: earned(close) }
  }
  const first = windows[0]?.date
  const base = baseFor(first)
  const resets = frame !== 'day' && query.pnl_reset === 'per_day'
  const points = windows.map((window) => {
    const end = endWithin(window, now)
    const from = resets ? baseFor(window.date) : base
    return { window, worth: entryIn(equity, end), gain: earned(end) - from.earned, base: from.worth }
  })
  const record = {
    ...pointsToWire(points),
    base_value: dollars(base.worth),
    base_value_asof:
      first === undefined || closeWithin(first, opened) === undefined
        ? undefined
        : previousSession(first)?.date,
    timeframe,
    cashflow: flows && Object.fromEntries([...flows].map(([type, sums]) => [type, sums.map(dollars)])),
  }
  return { record, points }
}

/** The columns of the points. */
export const pointsToWire = (points: readonly PortfolioPoint[]) => ({
  timestamp: points.map(({ window }) => Number(window.label / 1_000_000_000n)),
  equity: points.map(({ worth }) => dollars(worth)),
  profit_loss: points.map(({ gain }) => dollars(gain)),
  profit_loss_pct: points.map((point) => shareOf(point.gain, point.base)),
})

const dollars = (amount: bigint): number => Number(divide(amount, 10_000_000n, 'nearest')) / 100

const shareOf = (gain: bigint, base: Money): number =>
  base === NO_MONEY ? 0 : Number(divide(gain * 10_000_000_000n, base, 'nearest')) / 10_000_000_000

/** A window that has not ended ends now. */
export const endWithin = ({ end }: HistoryWindow, now: Instant): Instant => (end > now ? later(now, 1n) : end)

export const closeBeforeDay = (date: CivilDate): Instant | undefined => previousSession(date)?.close

/** The previous close of a day, if the account existed then. */
export function closeWithin(date: CivilDate | undefined, opened: Instant): Instant | undefined {
  const close = date === undefined ? undefined : closeBeforeDay(date)
  return close !== undefined && close > opened ? close : undefined
}
